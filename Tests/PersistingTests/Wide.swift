import Persisting

/// A class of more columns than one word of a set has bits.
final class Wide: PersistingModel {
    static let keys = (0..<100).map { "c\($0)" }

    var id: Int64?
    var c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0, c9 = 0
    var c10 = 0, c11 = 0, c12 = 0, c13 = 0, c14 = 0, c15 = 0, c16 = 0, c17 = 0, c18 = 0, c19 = 0
    var c20 = 0, c21 = 0, c22 = 0, c23 = 0, c24 = 0, c25 = 0, c26 = 0, c27 = 0, c28 = 0, c29 = 0
    var c30 = 0, c31 = 0, c32 = 0, c33 = 0, c34 = 0, c35 = 0, c36 = 0, c37 = 0, c38 = 0, c39 = 0
    var c40 = 0, c41 = 0, c42 = 0, c43 = 0, c44 = 0, c45 = 0, c46 = 0, c47 = 0, c48 = 0, c49 = 0
    var c50 = 0, c51 = 0, c52 = 0, c53 = 0, c54 = 0, c55 = 0, c56 = 0, c57 = 0, c58 = 0, c59 = 0
    var c60 = 0, c61 = 0, c62 = 0, c63 = 0, c64 = 0, c65 = 0, c66 = 0, c67 = 0, c68 = 0, c69 = 0
    var c70 = 0, c71 = 0, c72 = 0, c73 = 0, c74 = 0, c75 = 0, c76 = 0, c77 = 0, c78 = 0, c79 = 0
    var c80 = 0, c81 = 0, c82 = 0, c83 = 0, c84 = 0, c85 = 0, c86 = 0, c87 = 0, c88 = 0, c89 = 0
    var c90 = 0, c91 = 0, c92 = 0, c93 = 0, c94 = 0, c95 = 0, c96 = 0, c97 = 0, c98 = 0, c99 = 0
}
