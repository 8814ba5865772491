import StateMachines
import TestSupport
import Testing

@testable import JournalStore

@Suite("The sums of rows")
struct RowSumTests {
  private func sum(_ mix: (inout RowSum) -> Void) -> UInt64 {
    var sum = RowSum(seed: 7)
    mix(&sum)
    return sum.value
  }

  @Test("a number is its eight bytes, the low one first")
  func numbers() {
    expectEqual(sum { $0.mix(UInt64(0x0102_0304_0506_0708)) }, Checksum.of([8, 7, 6, 5, 4, 3, 2, 1], seed: 7))
  }

  @Test("what stands where counts, and where one ends")
  func order() {
    let sums = [
      sum { _ in },
      sum { $0.mix("ab") },
      sum {
        $0.mix("a")
        $0.mix("b")
      },
      sum {
        $0.mix("b")
        $0.mix("a")
      },
      sum {
        $0.mix("")
        $0.mix("ab")
      },
    ]
    expectEqual(Set(sums).count, sums.count)
  }
}
