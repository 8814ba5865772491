import TestSupport
import Testing

struct GreetingTests {
  @Test("a client is greeted with the protocol, the version, the world, its clock, time and seq")
  func greeting() throws {
    let daemon = try DaemonProcess()
    let client = try daemon.connectUngreeted()
    let greeting = try client.line()
    expect(
      greeting.wholeMatch(
        of: #/\+ fsmd protocol=1 version=\d+\.\d+\.\d+ world=main clock=real t=\d+\.\d{3,9} seq=0/#) != nil,
      "\(greeting)")
    try expect(client.ask("new power p"), hasPrefix: "+ created p off t=")
    let second = try daemon.connectUngreeted()
    try expect(second.line(), hasSuffix: " seq=1")
  }
}
