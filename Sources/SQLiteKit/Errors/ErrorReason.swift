internal import Foundation

/// What an error says, for SQLite or a person to read.
func reason(of error: any Error) -> String {
    if let error = error as? SQLiteError { return error.message }
    return (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}
