// What the article Serving over HTTP shows stands between snippet.show and snippet.hide.

import Foundation
import Hummingbird
import Logging
import Persisting
import PersistingObservability

// snippet.show
/// An album of a record collection: a row of the table ALBUM, and the JSON of
/// requests and responses.
final class Album: PersistingModel, ResponseCodable {
    var id: Int64?
    var title = ""
    var artist = ""
    var year: Int?

    required init() {}

    override class var indexes: [Index] { [Index("artist", "title")] }

    override func validate() -> [ValidationFailure] {
        title.isEmpty
            ? [ValidationFailure(key: "title", reason: "must not be empty")]
            : []
    }
}
// snippet.hide

@main
struct ServerExample {
    static func main() async throws {
        let path = CommandLine.arguments.dropFirst().first ?? "albums.sqlite"
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.observe(
            logger: Logger(label: "database"), metrics: true, tracer: true,
            slowerThan: .milliseconds(50))
        let manager = try PersistenceManager(path: path, configuration: configuration)
        try await manager.updateSchema(for: [Album.self])
        let application = Application(
            router: makeRouter(manager),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: 8080)))
        try await application.runService()  // until SIGINT or SIGTERM
        try await manager.close()
        // snippet.hide
    }
}

/// The service: albums as JSON, as CSV, and their changes as server-sent events.
func makeRouter(_ manager: PersistenceManager) -> Router<BasicRequestContext> {
    let router = Router()
    // A span for each request, above those of its statements.
    router.add(middleware: TracingMiddleware())
    router.add(middleware: ErrorResponses())
    let albums = router.group("albums")

    // snippet.show
    albums.get { request, _ in
        let parameters = request.uri.queryParameters
        let limit = max(0, min(parameters.get("limit", as: Int.self) ?? 20, 1000))
        let query =
            parameters.get("artist").map { Album.where(\.artist == $0) }
            ?? Query(Album.self)
        return try await manager.fetchAll(
            query.sorted(by: \.title).limit(limit), tracked: false)
    }
    albums.post { request, context in
        let album = try await request.decode(as: Album.self, context: context)
        album.id = nil  // SQLite generates it
        try await manager.insert(album)
        return EditedResponse(status: .created, response: album)
    }
    // snippet.hide
    // snippet.show
    albums.get(":id") { _, context in
        let id = try context.parameters.require("id", as: Int64.self)
        guard let album = try await manager.find(Album.self, id) else {
            throw HTTPError(.notFound)
        }
        return album
    }
    albums.patch(":id") { request, context in
        let id = try context.parameters.require("id", as: Int64.self)
        let body = try await request.body.collect(upTo: context.maxUploadSize)
        guard let album = try await manager.find(Album.self, id) else {
            throw HTTPError(.notFound)
        }
        let json = try? JSONSerialization.jsonObject(
            with: Data(body.readableBytesView))
        guard var values = json as? [String: Any] else {
            throw HTTPError(.badRequest, message: "a JSON object is expected")
        }
        values["id"] = nil  // the key stays
        try album.setValues(values)
        try await manager.save(album)  // writes the columns that have changed
        return album
    }
    albums.delete(":id") { _, context in
        let id = try context.parameters.require("id", as: Int64.self)
        let count = try await manager.delete(Album.self, where: \.id == id)
        return count == 1 ? HTTPResponse.Status.noContent : .notFound
    }
    // snippet.hide
    // snippet.show
    albums.get("csv") { _, _ in
        let bytes = manager.csv(Query(Album.self).sorted(by: \.id)).map {
            ByteBuffer(bytes: $0)
        }
        return Response(
            status: .ok, headers: [.contentType: "text/csv"],
            body: ResponseBody(asyncSequence: bytes))
    }
    // snippet.hide
    // snippet.show
    albums.get("events") { request, _ in
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for try await commit in manager.changes() {
                        // Names of tables are in lower case.
                        for row in commit.tables?["album"]?.rows ?? [] {
                            try await writer.write(
                                ByteBuffer(
                                    string:
                                        "event: \(row.kind)\ndata: \(row.rowID)\n\n"
                                ))
                        }
                    }
                }
                try await writer.finish(nil)
            })
    }
    // snippet.hide
    return router
}

// snippet.show
/// Turns the errors of Persisting that a client has caused into responses that
/// say so.
struct ErrorResponses<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as PersistenceError {
            switch error.code {
            case .invalidObject:
                let failures = error.failures.map {
                    "\($0.key ?? "object") \($0.reason)"
                }
                throw HTTPError(
                    .unprocessableContent,
                    message: failures.joined(separator: "; "))
            case .unknownKey, .typeMismatch:
                throw HTTPError(.badRequest, message: error.message)
            case .constraint, .conflict: throw HTTPError(.conflict)
            case .notFound: throw HTTPError(.notFound)
            default: throw error  // 500, without the details
            }
        }
    }
}
// snippet.hide
