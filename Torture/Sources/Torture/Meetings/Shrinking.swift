/// Cuts a program down to what diverges in the same way.
struct Shrinking {
    /// Runs a program on a file of its own.
    let run: (Program) throws -> Divergence?
    /// How often to run a program before it counts as one that doesn't diverge: threads take turns as they like.
    let attempts: Int
    let deadline: ContinuousClock.Instant

    func shrink(_ program: Program, _ divergence: Divergence) throws -> (program: Program, divergence: Divergence) {
        var (program, divergence) = (program, divergence)
        var length = max(1, program.steps.count / 2)
        while true {
            var place = 0
            var hasShrunk = false
            while place < program.steps.count {
                if ContinuousClock.now >= deadline { return (program, divergence) }
                var fewer = program
                fewer.steps.removeSubrange(place..<min(place + length, program.steps.count))
                if let same = try same(fewer, divergence) {
                    (program, divergence, hasShrunk) = (fewer, same, true)
                } else {
                    place += length
                }
            }
            if length == 1, !hasShrunk { return (program, divergence) }
            length = max(1, length / 2)
        }
    }

    private func same(_ program: Program, _ divergence: Divergence) throws -> Divergence? {
        for _ in 0..<attempts {
            if let found = try run(program), found.signature == divergence.signature { return found }
        }
        return nil
    }
}
