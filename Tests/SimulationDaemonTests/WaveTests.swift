import Foundation
import Simulations
import StateMachines
import Testing

@testable import SimulationDaemon

/// `wave` over the protocol.
struct WaveTests {
  private func json(_ guest: Guest, _ request: String) -> String {
    guest.say("\(request) format=json").dropLast().map { String($0.dropFirst(2)) }.joined()
  }

  @Test("a double tap: states tile the stretch, the timer ends with the second tap")
  func shiftKey() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new shiftKey key", "send key tap", "advance 349ms", "send key tap", "advance 1s")
    #expect(
      json(guest, "wave") == """
        {"from":0.000,"to":1.349,"lanes":[{"name":"key","kind":"shiftKey","states":[\
        {"from":0.000,"to":0.000,"state":"off"},{"from":0.000,"to":0.349,"state":"on"},\
        {"from":0.349,"to":1.349,"state":"capsLock"}],"events":[\
        {"t":0.000,"seq":1,"event":"new","outcome":"created"},{"t":0.000,"seq":2,"event":"tap","outcome":"moved"},\
        {"t":0.349,"seq":3,"event":"tap","outcome":"moved"}],"timers":[\
        {"from":0.000,"to":0.349,"timer":"doubleTap","end":"disarmed"}],"readings":[]}],"wires":[],"world":[]}
        """)
    #expect(json(guest, "wave last=1s").contains(#""states":[{"from":0.349,"to":0.349,"state":"on"}"#))
    #expect(json(guest, "wave from=100ms to=200ms").contains(#""states":[{"from":0.100,"to":0.200,"state":"on"}]"#))
    #expect(
      json(guest, "wave from=100ms to=200ms").contains(
        #"{"from":0.100,"to":0.200,"timer":"doubleTap","end":"running"}"#))
    #expect(json(guest, "wave nobody*").contains(#""lanes":[],"wires":[]"#))
  }

  @Test("each input of the journal is in it once: undone, refused and delivered ones, drops, a cast")
  func eachInput() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play(
      "new phoneCall c", "new shiftKey a", "new shiftKey b", "cast ? tap", "advance 1s", "send a tap", "undo",
      "send b tap",
      "send c.phone nothing", "drop a", "new power a", "advance 1d", "undo 3", "send b tap", "advance 2s")
    let journal = guest.say("journal limit=100000").dropLast()
    let numbers = Set(journal.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { UInt64($0) } })
    let wave = json(guest, "wave from=0")
    var found: [UInt64] = []
    for part in wave.split(separator: "\"wires\":")[0].components(separatedBy: "\"seq\":").dropFirst()
      + (wave.components(separatedBy: "\"world\":").last ?? "").components(separatedBy: "\"seq\":").dropFirst()
    {
      found.append(UInt64(part.prefix { $0.isNumber }) ?? 0)
    }
    // Inputs beyond the present, which were undone, are not within the stretch.
    #expect(Set(found).count == found.count && Set(found).isSubset(of: numbers))
    #expect(found.count > 10)
  }

  @Test("a fridge's temperature is a curve")
  func reading() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new fridge f start=4", "advance 1h")
    let wave = json(guest, "wave from=0")
    #expect(wave.contains(#""readings":[{"name":"temperature","unit":"°C","points":[[0.000,4.0],"#))
    #expect(wave.components(separatedBy: "],[").count > 100)
  }

  @Test("what does not fit is refused, and in every format there is an answer")
  func formats() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new doorFridge f", "send f doorOpened", "advance 1h", "new phoneCall c")
    for format in ["text", "ascii", "svg", "vcd", "json"] {
      #expect(guest.say("wave from=0 format=\(format)").last?.hasPrefix("+ ") == true)
      #expect(guest.say("wave nobody from=0 format=\(format)").last?.hasPrefix("+ ") == true)
    }
    for request in ["wave width=1", "wave width=100000", "wave from=2s to=1s", "wave from=2h", "wave from=1s last=1s"] {
      #expect(guest.say(request).last?.hasPrefix("- BAD-ARGUMENT") == true, "\(request)")
    }
  }
}
