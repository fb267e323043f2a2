/// Checks that a key path can be read in any object, whatever is in it.
///
/// Swift says what a key path goes through only by the text that describes it, in which a subscript is the address of
/// its code. That of an array's is the same for all arrays.
///
/// - Throws: ``PersistenceError/Code/unknownKey`` for a key path that goes through an element by its number or unwraps
///   an Optional with `!`: reading it in an object without would trap.
func checkComponents(of keyPath: AnyKeyPath) throws {
    // An interpolation of it would ask whether its type conforms to several protocols, for which Swift looks through all
    // of the program's conformances: a millisecond for each type of key path.
    let text = keyPath.debugDescription
    func failure(_ reason: String) -> PersistenceError {
        PersistenceError(
            .unknownKey, "the key path \(text) \(reason)",
            model: ModelDescription.name(of: type(of: keyPath).rootType))
    }
    if text.hasSuffix("!") || text.contains("!.") {
        throw failure("unwraps an Optional with !, which may be nil: write ? instead")
    }
    if text.contains("<computed "), elementAccesses.contains(where: text.contains) {
        throw failure(
            "goes through an element by its number, which a list need not have: ask contains or any of the list")
    }
}

/// How descriptions of key paths show an element of a list, such as `<computed 0x00007fc0e8ae8d80`.
private let elementAccesses: [String] = {
    let keyPaths: [AnyKeyPath] = [\[Int].[0], \ArraySlice<Int>.[0], \ContiguousArray<Int>.[0]]
    return keyPaths.compactMap { keyPath in
        let text = keyPath.debugDescription
        guard let dot = text.firstIndex(of: ".") else { return nil }
        let component = text[text.index(after: dot)...]
        return String(component[..<(component.firstRange(of: " (")?.lowerBound ?? component.endIndex)])
    }
}()
