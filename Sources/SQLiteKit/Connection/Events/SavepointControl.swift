/// What a statement does with a savepoint.
enum SavepointControl {
    case begin(String)
    case release(String)
    case rollback(String)
}
