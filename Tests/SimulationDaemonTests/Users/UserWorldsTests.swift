import LineProtocol
import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Worlds of several users")
struct UserWorldsTests {
  private static let users: [UInt32: String] = [1_001: "ana", 1_002: "ben", 1_003: "x\"y"]
  private let host: HostedService
  private let teacher: Guest
  private let ana: Guest
  private let ben: Guest

  init() throws {
    host = HostedService(users: Self.users)
    teacher = host.connect()
    ana = try #require(host.connect(as: 1_001))
    ben = try #require(host.connect(as: 1_002))
  }

  @Test("each user begins in a world main of their own, and names are per user")
  func ownWorlds() throws {
    for guest in [teacher, ana, ben] {
      expect(guest.say("world").last, hasPrefix: "+ world=main clock=real")
      expect(guest.say("new power lamp").last, hasPrefix: "+ created lamp")
      expectEqual(guest.say("world new lab"), ["+ created lab"])
      expectEqual(guest.say("world new lab"), ["- NAME-TAKEN world=lab : there is a world 'lab' already"])
    }
    expectEqual(
      ana.say("worlds").map { $0.split(separator: " ").prefix(2).joined(separator: " ") }, [". lab", ". main", "+ 2"])
    expect(ana.say("use lab\nnew power p").last, hasPrefix: "+ created p")
    expect(ben.say("use lab\nshow p").last, hasPrefix: "- UNKNOWN-MACHINE")
    expectEqual(host.service.worlds.keys.sorted(), ["1001/lab", "1001/main", "1002/lab", "1002/main", "lab", "main"])
  }

  @Test("the answer about a world that is not shared is the one about a world that is not there")
  func hidden() {
    _ = ana.play("world new secret", "world new sacred")
    for request in [
      "use ana/W", "diff main ana/W", "world drop ana/W", "world share ana/W", "world unshare ana/W",
    ] {
      func answer(_ world: String) -> [String] {
        ben.say(request.replacing("W", with: world)).map { $0.replacing(world, with: "W") }
      }
      expectEqual(answer("secret"), answer("nosuchworld"), "\(request)")
      expect(answer("secret").last, hasPrefix: "- UNKNOWN-WORLD world=ana/W : ", "\(request)")
    }
    expectEqual(ben.say("use ana/secre").last?.contains("did-you-mean"), false)
    expect(ben.say("use nobody/main").last, hasPrefix: "- UNKNOWN-WORLD world=nobody/main : ")
    expectEqual(ben.say("worlds").count, 2)
    expect(ben.say("use \"ana/\"").last, hasPrefix: "- UNKNOWN-WORLD")
    expect(ben.say("use 1001/secret").last, hasPrefix: "- UNKNOWN-WORLD")
  }

  @Test("who may not drop or share a world is told so while it is with a worker, too")
  func away() {
    _ = teacher.play("world share main read", "world new lab", "use lab")
    guard let main = host.service.worlds["main"] else { return expect(Bool(false), "main is there") }
    let box = main.lend(host.service.workers.slot(of: UserID.owner.lane))
    host.round {
      ana.arrive("world drop teacher/main\nworld unshare teacher/main\n")
      teacher.arrive("world drop main\n")
    }
    expectEqual(ana.lines().filter { $0.hasPrefix("- NOT-OWNER ") }.count, 2)
    expect(teacher.lines().last, hasPrefix: "- BAD-ARGUMENT argument=world got=main ")
    host.service.giveBack(main, box)
  }

  @Test("a world shared for reading can be seen, watched and copied, and not changed")
  func reading() {
    _ = ana.play("world new lab", "use lab", "new shiftKey key", "new fridge f start=4")
    expectEqual(ana.say("world share lab"), ["+ shared lab read"])
    expectEqual(ana.say("worlds").first, ". lab clock=virtual t=0.000 seq=2 shared=read")
    expectEqual(ben.say("worlds")[1], ". ana/lab clock=virtual t=0.000 seq=2 shared=read")
    expectEqual(ben.say("use ana/lab"), ["+ world=ana/lab clock=virtual t=0.000 seq=2"])
    expect(ben.say("show key").first?.hasPrefix(". ") == true || ben.say("show key").last?.hasPrefix("+ ") == true)
    for request in [
      "send key tap", "@t send key tap", "cast * tap", "new power p", "drop key", "advance 1s", "step", "undo",
      "goto 0",
      "clock real", "wire f compressorOn key tap", "fire key doubleTap", "await key capsLock",
      "begin\nsend key tap\nend",
      "point key capsLock", "begin strict\nsend key tap\ndiscard",
      "define x format=mermaid bytes=1\nx",
    ] {
      expect(
        ben.say(request).contains { $0.contains("READ-ONLY verb=") && $0.contains("'world fork W'") }, "\(request)")
    }
    _ = ben.say("watch *")
    _ = ana.say("send key tap")
    expect(ben.lines().contains { $0.hasPrefix("* ") && $0.contains(" key ") })
    // What is one's own can be changed from there.
    expect(ben.play("world fork mine", "use mine", "send key tap").last, hasPrefix: "+ moved")
    expectEqual(ben.say("world new other"), ["+ created other"])
    expectEqual(ben.say("world drop ana/lab"), ["- NOT-OWNER verb=world owner=ana : only its owner may drop a world"])
    expectEqual(
      ben.say("world share ana/lab write"), ["- NOT-OWNER verb=world owner=ana : only its owner may share a world"])
    expect(ana.violations().isEmpty)
  }

  @Test("a world shared for writing can be changed, until it is shared for reading or not at all")
  func writing() {
    _ = ana.play("world new lab", "use lab", "new shiftKey key", "world share lab write")
    _ = ben.say("use ana/lab")
    expect(ben.say("send key tap").last, hasPrefix: "+ moved")
    expectEqual(ana.say("world share lab read"), ["+ shared lab read"])
    expect(ben.say("send key tap").last, hasPrefix: "- READ-ONLY verb=send")
    _ = ben.say("watch *")
    expectEqual(ana.say("world unshare lab"), ["+ unshared lab"])
    expectEqual(ben.lines(), ["! world dropped=ana/lab"])
    expect(ben.say("world").last, hasPrefix: "+ world=main")
    expect(ben.say("use ana/lab").last, hasPrefix: "- UNKNOWN-WORLD")
    _ = ana.say("send key tap")
    expect(ben.lines().isEmpty)
    expectEqual(ana.say("worlds").first?.contains("shared"), false)
  }

  @Test("in the world of another user one watches little, and nothing once it is not shared any more")
  func watches() {
    _ = ana.play("world new lab", "use lab", "world share lab")
    let patterns = (1...65).map { "watch p\($0)" }.joined(separator: "\n")
    expectEqual(ana.say(patterns).last, "+ watching 65")
    expectEqual(teacher.say("use ana/lab\n" + patterns).last, "+ watching 65")
    expectEqual(
      ben.say("use ana/lab\n" + patterns).suffix(2),
      [
        "+ watching 64",
        "- LIMIT name=watches value=64 : this connection watches 64 patterns already; 'unwatch' ends one",
      ])
    expectEqual(ben.say("watch p64"), ["+ watching 64"])
    expectEqual(ben.say("use main\n" + patterns).last, "+ watching 65")
    let other = host.connect(as: 1_002)
    _ = other?.play("use ana/lab", "watch *")
    _ = ana.say("world unshare lab")
    for guest in [ben, other] {
      expectEqual(guest.map { ana.client.hosted.live.world.watchCount(of: $0.client.session.watcher) }, 0)
    }
    expectEqual(ana.client.hosted.live.world.watchCount(of: teacher.client.session.watcher), 65)
  }

  @Test("who has lost the right to change a world has nothing under way there")
  func downgrade() {
    _ = ana.play("world new lab", "use lab", "new fridge f start=4", "world share lab write", "clock real")
    _ = ben.say("use ana/lab")
    _ = ben.say("@a await f waiting within=1h")
    expect(ben.isBusy)
    _ = ana.say("world share lab read")
    expect(ben.lines().contains { $0.hasPrefix("- @a CANCELLED ") })
    expect(!ben.isBusy)
    _ = ana.say("world share lab write")
    _ = ben.say("@b await f waiting within=1h")
    _ = ana.say("world unshare lab")
    expectEqual(
      ben.lines(),
      [
        "- @b UNKNOWN-WORLD world=ana/lab : the world 'ana/lab' is not shared any more", "! world dropped=ana/lab",
      ])
  }

  @Test("what was collected for a world runs nowhere else when that world is gone", arguments: [false, true])
  func collected(isDropped: Bool) {
    _ = ana.play("world new lab", "use lab", "new shiftKey key", "world share lab write")
    _ = ben.play("new shiftKey key", "use ana/lab", "begin", "send key tap", "drop key")
    _ = ana.say(isDropped ? "world drop lab" : "world unshare lab")
    expectEqual(
      ben.say("@b end").last,
      "- @b UNKNOWN-WORLD world=ana/lab : the world 'ana/lab' that the batch was for is gone; nothing of it was run")
    expect(ben.say("expect key off").last, hasPrefix: "+ off ")
    _ = ana.play("world new other", "use other", "world share other write")
    _ = ben.play("use ana/other")
    _ = ben.say("@d define q format=mermaid bytes=35\nstateDiagram-v2\n")
    _ = ana.say("world unshare other")
    expect(ben.say("  [*] --> a\n       ").last, hasPrefix: "- @d UNKNOWN-WORLD world=ana/other : ")
    expect(ben.say("describe q").last, hasPrefix: "- UNKNOWN-KIND")
  }

  @Test("a comparison ends where one of its worlds is gone for its reader", arguments: [false, true])
  func comparison(isDropped: Bool) {
    _ = ana.play("world new lab", "use lab", "world share lab read", "quiet on")
    let name = String(repeating: "m", count: 50)
    for number in 0..<6_000 { _ = ana.say("new power \(name)\(number)") }
    ben.isReading = false
    expect(ben.say("diff ana/lab main").isEmpty)
    _ = ana.play(isDropped ? "world drop lab" : "world unshare lab", "new power zzSecret")
    ben.isReading = true
    let lines = ben.play("sync", "sync")
    expect(lines.contains { $0.hasPrefix("- UNKNOWN-WORLD world=ana/lab : ") }, "\(lines.last ?? "")")
    expect(!lines.contains { $0.contains("zzSecret") })
  }

  @Test("the daemon's owner may look everywhere and change only what is shared")
  func owner() {
    _ = ana.play("world new lab", "use lab", "new shiftKey key")
    expect(teacher.say("worlds").contains { $0.hasPrefix(". ana/lab clock=virtual") })
    expectEqual(teacher.say("use ana/lab"), ["+ world=ana/lab clock=virtual t=0.000 seq=1"])
    expect(teacher.say("send key tap").last, hasPrefix: "- READ-ONLY verb=send")
    _ = ana.say("world share lab write")
    expect(teacher.say("send key tap").last, hasPrefix: "+ moved")
    expect(teacher.say("world drop ana/main").last, hasPrefix: "- BAD-ARGUMENT argument=world got=ana/main")
    expectEqual(teacher.say("world drop ana/lab"), ["! world dropped=ana/lab", "+ dropped ana/lab"])
    expectEqual(ana.lines(), ["! world dropped=lab"])
    host.service.close(ana.client)
    expectEqual(teacher.say("world drop ana/main"), ["+ dropped ana/main"])
    // Who comes back finds a new one.
    expect(host.connect(as: 1_001)?.say("world").last, hasPrefix: "+ world=main")
  }

  @Test("only the owner of the daemon ends it")
  func shutdown() {
    expectEqual(
      ana.say("shutdown"), ["- NOT-OWNER verb=shutdown owner=teacher : only the owner of the daemon may end it"])
    expect(!host.service.isShuttingDown)
    expectEqual(teacher.say("shutdown"), ["+", "! bye reason=shutdown"])
  }

  @Test("activities of others cannot be seen or cancelled, but by whose world it is, and by the owner")
  func activities() throws {
    _ = ana.play("world new lab", "use lab", "new fridge f start=4", "clock real", "world share lab write")
    _ = ben.say("use ana/lab")
    _ = ben.say("await f waiting within=1h")
    let cid = try #require(host.connect(as: 1_003))
    expectEqual(cid.say("activities"), ["+ 0"])
    let line = ana.say("activities")[0]
    expect(line, contains: "world=lab")
    expect(ben.say("cancel").count >= 0)
    _ = ben.say("await f waiting within=1h")
    let number = try #require(ana.say("activities")[0].split(separator: " ").dropFirst().first)
    expectEqual(cid.say("cancel \(number)"), cid.say("cancel 999").map { $0.replacing("999", with: number) })
    expect(teacher.say("activities")[0], contains: "world=ana/lab")
    expectEqual(ana.say("cancel \(number)").last, "+")
    expect(ben.lines().contains { $0.hasPrefix("- CANCELLED") })
  }

  @Test("a user's number is written in one way")
  func numbers() {
    _ = ana.play("world new lab", "world share lab")
    expect(ben.say("use 1001/lab").last, hasPrefix: "+ world=ana/lab")
    for number in ["+1001", "01001", "1001 ", "-0"] {
      expect(ben.say("use \"\(number)/lab\"").last, hasPrefix: "- UNKNOWN-WORLD", "\(number)")
    }
  }

  @Test("who tells all of one's own sessions, and names of the others")
  func who() throws {
    let odd = try #require(host.connect(as: 1_003))
    host.passTime(2)
    expectEqual(
      ben.say("who"),
      [
        ". teacher", ". ana", ". ben client=\(ben.client.number) world=main since=2.000 idle=0.000", ". \"x\\\"y\"",
        "+ 4",
      ])
    expectEqual(
      teacher.say("who")[3], ". \"x\\\"y\" client=\(odd.client.number) world=\"x\\\"y/main\" since=2.000 idle=2.000")
    expectEqual(
      odd.play("mode json", "who")[4],
      "{\"class\":\"data\",\"user\":\"x\\\"y\",\"client\":\(odd.client.number),\"world\":\"main\",\"since\":2.000,\"idle\":0.000}"
    )
    _ = odd.say("mode text")
    expectEqual(odd.play("world share main").last, "+ shared main read")
    expect(ben.say("use \"x\\\"y/main\"").last, hasPrefix: "+ world=\"x\\\"y/main\" clock=real")
  }

  @Test("a connection that may only look sees what its user may see")
  func watchers() throws {
    let watcher = try #require(host.connect(as: 1_002, mayChange: false))
    _ = ana.play("world new lab", "use lab", "new shiftKey key")
    expect(watcher.say("use ana/lab").last, hasPrefix: "- UNKNOWN-WORLD")
    _ = ana.say("world share lab write")
    expect(watcher.say("use ana/lab").last, hasPrefix: "+ world=ana/lab")
    for request in ["send key tap", "world new x", "world fork x", "world share main", "shutdown", "cancel 1"] {
      expect(watcher.say(request).last, hasPrefix: "- READ-ONLY verb=", "\(request)")
    }
    expect(watcher.say("use main\nnew power p").last, hasPrefix: "- READ-ONLY verb=new")
  }

  @Test("names of worlds in failures and messages are those that the reader writes")
  func namesInMessages() {
    _ = ana.play("world new lab", "use lab", "new shiftKey key", "world share lab write", "world fork lab2")
    _ = ben.say("use ana/lab")
    expect(ben.say("show nobody").last, contains: "in world ana/lab")
    expect(ana.say("show nobody").last, contains: "in world lab")
    _ = ana.say("use lab2\nnew power p\nworld share lab2")
    expectEqual(ben.say("diff ana/lab ana/lab2"), [". only ana/lab2 p power off", "+ 1"])
    expect(ben.say("script").contains { $0.contains("world new lab") } || !ben.say("script").isEmpty)
    expectEqual(ana.say("world drop lab").last, "+ dropped lab")
    expectEqual(ben.lines(), ["! world dropped=ana/lab"])
  }
}
