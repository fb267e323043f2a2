import DqliteKit
import Testing

/// The codes of a cluster's errors.
@Suite struct ErrorCodeTests {
    @Test func theCodesOfLeadershipAreKindsOfIOErrors() {
        #expect(ResultCode.notLeader.rawValue == 10250 && ResultCode.notLeader.primary == .ioError)
        #expect(ResultCode.leadershipLost.rawValue == 10506 && ResultCode.leadershipLost.primary == .ioError)
    }
}
