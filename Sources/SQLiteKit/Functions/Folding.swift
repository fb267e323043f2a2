internal import Foundation

extension Database {
    /// Adds `fold`, which folds a text by default in both ways.
    func addFolding() throws(SQLiteError) {
        try addFunction("fold", argumentCount: 1, [.deterministic, .innocuous]) { arguments in
            try arguments.text(at: 0).map { folded($0, caseInsensitive: true, diacriticInsensitive: true) }
        }
        try addFunction("fold", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            guard let text = try arguments.text(at: 0) else { return nil }
            switch try arguments.text(at: 1) {
            case "c": return folded(text, caseInsensitive: true, diacriticInsensitive: false)
            case "d": return folded(text, caseInsensitive: false, diacriticInsensitive: true)
            case "cd": return folded(text, caseInsensitive: true, diacriticInsensitive: true)
            case let what:
                let what = what.map(SQLText.literal) ?? "NULL"
                throw SQLiteError(.error, "fold takes 'c', 'd' or 'cd' for what not to regard, not \(what)")
            }
        }
    }
}

/// A text without what is not to count in a comparison: two texts are the same without regard to case, diacritics or
/// both, if and only if they fold to the same bytes.
///
/// It asks no locale and is the same on every system. Case folds as Unicode's default case folding does, in full: `ß`
/// is `ss`, and a `ς` is a `σ`. Diacritics are the marks that a letter decomposes into and that stand above, below or
/// next to it: accents, cedillas, and the vowel points of Hebrew and Arabic; marks that make another letter or
/// syllable, as in the scripts of India and Japan, stay, and so does what does not decompose, as `ø` and `ł`. The
/// result is in normal form C.
///
/// With neither flag the text is returned as it is.
package func folded(_ text: String, caseInsensitive: Bool, diacriticInsensitive: Bool) -> String {
    guard caseInsensitive || diacriticInsensitive else { return text }
    let latin = caseInsensitive ? diacriticInsensitive ? latinByBoth : latinByCase : latinByDiacritics
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
        // From the first mark on, a character may change those before it.
        guard scalar.value < latinCount else { return foldedSlowly(text, caseInsensitive, diacriticInsensitive) }
        var packed = latin[Int(scalar.value)]
        repeat {
            bytes.append(UInt8(truncatingIfNeeded: packed))
            packed >>= 8
        } while packed != 0
    }
    return String(decoding: bytes, as: UTF8.self)
}

private let latinCount: UInt32 = 0x300
private let latinByCase = latin(true, false)
private let latinByDiacritics = latin(false, true)
private let latinByBoth = latin(true, true)

/// What each of the characters up to the first mark folds to: at most four bytes of UTF-8, the first one lowest.
private func latin(_ caseInsensitive: Bool, _ diacriticInsensitive: Bool) -> [UInt32] {
    (0..<latinCount).map { value in
        foldedSlowly(Unicode.Scalar(value).map { String($0) } ?? "", caseInsensitive, diacriticInsensitive)
            .utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

private func foldedSlowly(_ text: String, _ caseInsensitive: Bool, _ diacriticInsensitive: Bool) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
        if diacriticInsensitive, isDiacritic(scalar) { continue }
        if caseInsensitive { appendCaseFolding(of: scalar, to: &scalars) } else { scalars.append(scalar) }
    }
    return String(scalars).precomposedStringWithCanonicalMapping
}

private func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    // 10 to 36: vowel points of Hebrew, Arabic and Syriac. 200 and up: above, below, aside. Others: 0 vowel signs,
    // 1 what strikes a sign out, 7 nukta, 8 voicing of kana, 9 virama, 84 to 132 signs of India's scripts and Tibet's.
    switch scalar.properties.canonicalCombiningClass.rawValue {
    case 10...36, 200...240: scalar.properties.generalCategory == .nonspacingMark
    default: false
    }
}

/// Unicode's full case folding of a character, by the mappings that Swift has of it.
private func appendCaseFolding(of scalar: Unicode.Scalar, to scalars: inout String.UnicodeScalarView) {
    let properties = scalar.properties
    guard properties.changesWhenCaseFolded else {
        scalars.append(scalar)
        return
    }
    let upper = properties.uppercaseMapping.unicodeScalars
    let lower = upper.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    if lower.elementsEqual(CollectionOfOne(scalar)) {
        // Of Cherokee alone, the large letters are the folded ones.
        scalars.append(contentsOf: upper)
    } else {
        // The capital of ß is a letter whose small one folds further.
        for scalar in lower {
            if scalar.properties.changesWhenCaseFolded {
                scalars.append(contentsOf: scalar.properties.uppercaseMapping.lowercased().unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
    }
}
