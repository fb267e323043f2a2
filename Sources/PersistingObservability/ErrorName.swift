#if Observability

    internal import SQLiteKit

    extension SQLiteError {
        /// A name for the error's primary code, for a few series of metrics and for `error.type`.
        var typeName: String {
            switch code {
            case .error: "error"
            case .permission: "permission"
            case .abort: "abort"
            case .busy: "busy"
            case .locked: "locked"
            case .outOfMemory: "outOfMemory"
            case .readOnly: "readOnly"
            case .interrupt: "interrupt"
            case .ioError: "ioError"
            case .corrupt: "corrupt"
            case .full: "full"
            case .cannotOpen: "cannotOpen"
            case .schema: "schema"
            case .tooBig: "tooBig"
            case .constraint: "constraint"
            case .mismatch: "mismatch"
            case .authorization: "authorization"
            case .notADatabase: "notADatabase"
            default: "\(code.rawValue)"
            }
        }
    }

    extension DatabaseLocation {
        /// The database without the folder of its file, which may name a user.
        var shortName: String { path.flatMap { $0.split(separator: "/").last }.map(String.init) ?? description }
    }

#endif
