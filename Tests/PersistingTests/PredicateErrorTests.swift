import Foundation
import Persisting
import Testing

@Suite("Predicates that mean nothing to a row")
struct PredicateErrorTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Employee.self)
    }

    private func predicateError(_ predicate: Predicate<Employee>) -> PersistenceError? {
        failure { try manager.count(Employee.self, where: .predicate(predicate)) }
    }

    private func check(
        _ predicate: Predicate<Employee>, _ name: String, _ location: SourceLocation = #_sourceLocation
    ) {
        let error = predicateError(predicate)
        #expect(error?.code == .invalidCriteria, sourceLocation: location)
        #expect(error?.model == "Employee", sourceLocation: location)
        #expect(
            error?.message.contains("the predicate's \(name) isn't supported") == true,
            "\(error?.message ?? "")", sourceLocation: location)
    }

    @Test("An expression is rejected by its name")
    func names() throws {
        // F75, F76
        check(#Predicate { $0.name.count > 3 }, "KeyPath")
        check(#Predicate { $0.name.first == nil }, "KeyPath")
        check(#Predicate { $0.rank.rawValue == "senior" }, "KeyPath")
        check(#Predicate { ($0.nick?.count ?? 0) > 3 }, "KeyPath")
        check(#Predicate { ($0.name as Any) is String }, "TypeCheck")
        check(#Predicate { (($0.name as Any) as? String) == "a" }, "ConditionalCast")
        check(#Predicate { (($0.name as Any) as! String) == "a" }, "ForceCast")
        check(#Predicate { $0.name.contains(/a.b/) }, "StringContainsRegex")
        check(#Predicate { $0.bytes.contains { $0 == 3 } }, "SequenceContainsWhere")
        check(#Predicate { $0.bytes.allSatisfy { $0 == 3 } }, "SequenceAllSatisfy")
        check(#Predicate { $0.bytes.starts(with: [1, 2]) }, "SequenceStartsWith")
        check(#Predicate { $0.bytes.contains([1, 2]) }, "CollectionContainsCollection")
        check(#Predicate { $0.bytes.filter { $0 == 3 }.isEmpty }, "Filter")
        check(#Predicate { $0.bytes[0] == 3 }, "CollectionIndexSubscript")
    }

    @Test("A column isn't a collection to look in")
    func column() throws {
        // F75, F76
        let bytes = predicateError(#Predicate { $0.bytes.contains(3) })
        #expect(bytes?.message.contains("bytes is stored as blob") == true)
        let error = predicateError(#Predicate { $0.tags?.names.contains("a") == true })
        #expect(error?.code == .invalidCriteria)
        #expect(error?.message.contains("is asked of a property's value") == true)
    }

    @Test("A predicate that is nested too deep throws, and says the limit")
    func nesting() throws {
        // F75
        #expect(predicateError(nested(200))?.message.contains("nested more than 50 deep") == true)
        #expect(try manager.count(Employee.self, where: .predicate(nested(48))) == 0)
    }

    private func nested(_ depth: Int) -> Predicate<Employee> {
        Predicate<Employee> { object in
            func not(
                _ inner: some StandardPredicateExpression<Bool>, _ depth: Int
            ) -> any StandardPredicateExpression<Bool> {
                depth == 0 ? inner : not(PredicateExpressions.build_Negation(inner), depth - 1)
            }
            return not(PredicateExpressions.build_KeyPath(root: object, keyPath: \.isRemote), depth)
        }
    }

    @Test("As deep as it may be nested, a small stack is enough")
    func smallStack() async {
        // F75
        let predicate = nested(48)
        let manager = manager
        let rejected = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: failure { try manager.count(Employee.self, where: .predicate(predicate)) })
            }
            thread.stackSize = smallStackSize
            thread.start()
        }
        #expect(rejected == nil)
    }
}
