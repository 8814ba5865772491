import StateMachines
import TestSupport
import Testing

@Suite("A number becomes an integer")
struct ClampedNumberTests {
  @Test("without its fraction, and within the bounds of the type")
  func bounds() {
    expect(Int(clamping: 1.9) == 1 && Int(clamping: -1.9) == -1 && Int(clamping: -0.0) == 0)
    expectEqual(Int(clamping: 1e18), 1_000_000_000_000_000_000)
    expect(
      Int(clamping: 0x1p63) == .max && Int(clamping: -0x1p63) == .min
        && Int(clamping: (0x1p63 as Double).nextDown) < .max)
    expect(Int(clamping: Double.infinity) == .max && Int(clamping: -Double.infinity) == .min)
    expectEqual(Int(clamping: Double.nan), 0)
    expect(UInt8(clamping: 255.5) == 255 && UInt8(clamping: 256.0) == 255 && UInt8(clamping: -0.5) == 0)
    expect(UInt128(clamping: 1e21) == 1_000_000_000_000_000_000_000 && UInt128(clamping: -1.0) == 0)
  }
}
