import TestSupport
import Testing

@testable import SimulationDaemon

/// The check-in list with its services, as clients see it.
struct CheckinTranscriptTests {
  @Test("deferred login: who watches the screen sees each state once, at its moment")
  func deferredLogin() {
    let host = HostedService()
    let user = host.connect(toWorld: "app")
    expectEqual(user.say("new checkinApp p loginLatency=0"), ["+ created p members=6 t=0.000 seq=26"])
    _ = user.say("watch p.screen")
    expectEqual(
      user.say("send p.interactor refresh"),
      [
        "* 28 0.000 p.screen moved idle loading wire=p.interactor.startLoading",
        "* 28 0.000 p.screen output shows spinner",
        "* 33 0.000 p.screen moved loading loggedOut wire=p.interactor.loadingFailed",
        "* 33 0.000 p.screen output shows loginPrompt",
        "+ moved idle loading t=0.000 seq=27 outputs=startLoading,fetch",
      ])
    expectEqual(user.say("advance 5s"), ["+ advanced fired=0 t=5.000 seq=35"])
    expectEqual(
      user.say("send p.auth login A ok"),
      [
        "* 40 5.000 p.screen moved loggedOut loading wire=p.interactor.startLoading",
        "* 40 5.000 p.screen output shows spinner",
        "+ moved anonymous loggingIn(A) t=5.000 seq=36",
      ])
    expectEqual(
      user.say("advance 3s"),
      [
        "* 46 8.000 p.screen moved loading list(5) wire=p.interactor.loadingFinished",
        "* 46 8.000 p.screen output shows table",
        "+ advanced fired=1 t=8.000 seq=48",
      ])
    expectEqual(user.say("advance 1s"), ["+ advanced fired=0 t=9.000 seq=48"])
    expectEqual(
      user.say("send p.interactor logout"),
      [
        "* 51 9.000 p.screen moved list(5) loggedOut wire=p.interactor.logout",
        "* 51 9.000 p.screen output shows loginPrompt",
        "+ stayed idle t=9.000 seq=49 outputs=signOut,logout",
      ])
    expectEqual(user.say("agenda"), ["+ 0"])
  }

  @Test("a parameter goes to the members that admit it, or to the one that is named")
  func members() {
    let user = HostedService().connect(toWorld: "app")
    expectEqual(
      user.say("new checkinApp p mode=hardned"),
      [
        "- BAD-ARGUMENT argument=mode got=hardned allowed=faithful,hardened,extended : "
          + "mode is one of faithful,hardened,extended, not 'hardned'"
      ])
    expect(user.say("new checkinApp p mode=hardened service.mode=extended auth.latency=0").last, hasPrefix: "+ ")
    _ = user.play("send p.interactor refresh", "send p.auth login A ok", "send p.interactor logout")
    // Only the hardened screen gives up the running request.
    expectEqual(user.say("show p.screen").first, ". state loggedOut")
    expectEqual(user.say("agenda"), ["+ 0"])
    // A parameter of one member takes precedence, whichever comes first.
    for (name, parameters) in [
      ("q", "screen.mode=hardened mode=faithful"), ("r", "mode=faithful screen.mode=hardened"),
    ] {
      _ = user.say("new checkinApp \(name) auth.latency=0 \(parameters)")
      _ = user.play("send \(name).interactor refresh", "send \(name).auth login A ok", "send \(name).interactor logout")
      expectEqual(user.say("show \(name).screen").first, ". state loggedOut", "\(parameters)")
    }
  }

  @Test(
    "loginLatency holds, before latency and behind it",
    arguments: ["loginLatency=2s latency=7s", "latency=7s loginLatency=2s"])
  func loginLatency(parameters: String) {
    let host = HostedService()
    let user = host.connect(toWorld: "app")
    _ = user.say("new auth a \(parameters)")
    _ = user.say("send a login A ok")
    expectEqual(user.say("agenda"), [". 2.000 a accepted left=2.000", "+ 1"])
  }

  @Test("a cancel that is refused says why, and what is possible instead")
  func refusedCancel() {
    let host = HostedService()
    let user = host.connect(toWorld: "jobs")
    _ = user.play("new job j", "send j start", "advance 1s")
    expectEqual(
      user.say("send j cancel"),
      [
        "- REFUSED machine=j state=loading event=cancel allowed=loaded,fail from=processing way=loaded t=1.000 seq=3 : cannot cancel while loading"
      ])
    expectEqual(user.say("can j cancel"), ["+ no from=processing way=loaded : cannot cancel while loading"])
  }
}
