import TestSupport
import Testing

@testable import fsmrepl

struct ViewerSettingsTests {
  @Test(
    "beside a dump stands what makes a viewer show all its signals: states as text, timers as bits, readings as curves")
  func signals() {
    let dump = [
      "$timescale 1 ns $end", "$scope module c $end", "$scope module phone $end", "$var string 1 ! state $end",
      "$var wire 1 # ring $end", "$upscope $end", "$upscope $end", "$scope module f $end",
      "$var real 64 $ temperature $end", "$upscope $end", "$enddefinitions $end", "#0", "$var wire 1 % later $end",
    ]
    expectEqual(
      ViewerSettings(of: dump, in: "x.vcd").lines,
      [
        "[dumpfile] \"x.vcd\"", "[timestart] 0", "[sst_expanded] 0", "@200", "-c.phone", "@820", "c.phone.state", "@28",
        "c.phone.ring", "@200", "-f", "@d0020", "f.temperature", "@20000", "-", "-",
      ])
    expect(ViewerSettings.path(beside: "a/x.vcd") == "a/x.gtkw" && ViewerSettings.path(beside: "x.svg") == nil)
  }
}
