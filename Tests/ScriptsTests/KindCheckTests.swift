import LineProtocol
import Testing

@testable import Scripts

/// What a script says of its machines, held against what their kinds know.
struct KindCheckTests {
  private static let kinds: [String: [String]] = [
    "key": [
      ". state off", ". state on", ". state locked", ". event tap", ". event type", ". timer double",
      ". timer alert key=n", ". output text", ". reading level", ". parameter double allowed=1s",
      ". parameter initial allowed=off,on",
    ],
    "cabinet": [". state on.cooling.free", ". state off", ". state closed region=door", ". state open region=door"],
    "name": [". state state", ". event set"],
    "any": [". state a", ". event *", ". timer *", ". output *", ". reading *"],
    "pair": [". member one kind=key", ". member two kind=cabinet", ". parameter double"],
  ]

  /// The places of the mistakes of a script, as `LINE:COLUMN`.
  ///
  /// - Parameter machines: The machines of the world, with their kinds, if that is there before the script is played.
  private func mistakes(
    _ text: String, defined: [String: [String]] = [:], machines: [String: String]? = nil, now: Int64 = 0
  ) throws -> [String] {
    let script = ScriptParser.read("s.fsm", Array(text.utf8), isInSession: machines != nil) { _ in .failed("") }.script
    var check = KindCheck(script, in: machines.map { _ in "w" })
    var book = KindBook(ofNewWorld: machines == nil)
    for name in machines == nil ? [] : check.machineNames() {
      let kind = machines?[name]
      let words = kind.map { KindWords($0, (Self.kinds[$0] ?? []).compactMap { ServerLine($0) }) }
      book.learn(machine: name, words.map { [$0] } ?? [])
    }
    for (kind, rows) in Self.kinds {
      book.learn(kind, rows.compactMap { ServerLine($0) }, try #require(ServerLine("+ 1")))
    }
    let unknown = try #require(ServerLine("- UNKNOWN-KIND : there is no such kind"))
    for kind in check.kinds where !book.has(kind) { book.learn(kind, [], unknown) }
    for (step, kind) in check.definitions {
      let rows = defined[kind] ?? []
      book.learn(kind, rows.compactMap { ServerLine($0) }, definedBy: step)
    }
    return check.mistakes(book, now: now).map { String($0.place.drop { $0 != ":" }.dropFirst()) }
  }

  @Test(
    "words that a kind knows are no mistakes",
    arguments: [
      "new key k double=2s initial=on\nsend k tap => moved off on\nexpect k locked(3)\nfire k alert(7)",
      "new key k\nexpect k timers alert(1,2),double\nexpect k reading level none\nexpect output k text within 1s",
      "new cabinet c\nexpect c on\nexpect c on.cooling\nexpect c closed+off\nexpect c open",
      "new name n\nexpect n whatever\nsend n set x => x", "new any a\nsend a whatever\nexpect output a x\nfire a y",
      "new pair p double=1s one.double=2s\nsend p.one tap => on\nexpect p.two closed\nlist p\ndrop p",
      "repeat 3 as i\nnew key k$i\nend\nsend k2 tap\nexpect k{1..3} on\nrepeat 2 as j\nsend k$j tap => on\nend",
      "new key k1\nrepeat 2 as i\nrepeat 3 as j\nnew key m$i$j\nend\nend\nsend m12 tap\nsend m{1..2}{1..3} tap",
      "new key k\ndrop k\nnew name k\nsend k tap\nsend k set x\nexpect k x",
      "new key k\nsend k tpa => refused UNKNOWN-EVENT\nsend kk tap => UNKNOWN-MACHINE\nnew kye x => UNKNOWN-KIND",
      "new kye x => refused UNKNOWN-KIND\nlist x => 0\nwatch x*\nlist z? => 0\ncast * whatever => 0",
      "new key k\ngraph key\ngraph k\ndescribe key\ncoverage kind=key\nshow graph key\nshow wave k*\nshow state k",
      "new key k\nsend k tap => on outputs=text\nsend k tap => ok outputs=",
    ])
  func known(text: String) throws {
    #expect(try mistakes(text) == [])
  }

  @Test(
    "words that none of the kinds of a machine knows are mistakes, each at its place",
    arguments: [
      ("new key k\nexpect k onn\nsend k tap => moved of on", ["2:10", "3:21"]),
      ("new key k\nrepeat 2 as i\nexpect k$i on\nend", ["3:8"]),
      ("new key k{1..3}\nnew key k{7..9}\nsend k4 tap\nsend k{7..8} tap\nexpect k10 on", ["3:6", "5:8"]),
      ("repeat 2 as i\nrepeat 3 as j\nnew key m$i$j\nend\nend\nsend m23 tap\nsend m32 tap", ["7:6"]),
      ("repeat 9 as i\nnew key k$i\nend\nexpect ka on\nexpect k1a on\nexpect k on", ["4:8", "5:8", "6:8"]),
      ("new key k\ndrop k\nnew name k\nsend k tpa", ["4:8"]),
      ("new cabinet c\nexpect c cooling\nexpect c on+shut", ["2:10", "3:10"]),
      (
        "new pair p\nsend p tap\nsend p.three tap\nsend p.one tpa\nnew pair q three.double=1s",
        [
          "2:6", "3:6", "4:12", "5:12",
        ]
      ),
      (
        "new key k\nexpect k timers alert(3),dubl\nexpect k reading lvl 3\nexpect output k txt",
        [
          "2:17", "3:18", "4:17",
        ]
      ),
      ("new key k initial=onn", ["1:11"]), ("graph kye\ndescribe kye\ncoverage kind=kye", ["1:7", "2:10", "3:10"]),
      ("list nobody\nagenda nobody\njournal nobody\ncast nobody tap", ["1:6", "2:8", "3:9", "4:6"]),
      ("new key k\nrepeat 100\n  send k tpa\nend\nat 1s send k tpa", ["3:10", "5:14"]),
    ])
  func unknown(text: String, places: [String]) throws {
    #expect(try mistakes(text) == places)
  }

  @Test("a machine is of the kind that was defined before it; behind a step back, of any that is ever defined")
  func definitions() throws {
    func define(_ state: String) -> String { "define d format=mermaid\n\(state)\nenddefine\n" }
    let text = define("a") + "new d m\nexpect m a\nexpect m b\n"
    #expect(try mistakes(text, defined: ["d": [". state a"]]) == ["6:10"])
    #expect(try mistakes(text + "undo\n" + define("b"), defined: ["d": [". state a"]]) == ["6:10"])
    #expect(try mistakes("new d m\nexpect m x\n" + define("a"), defined: ["d": [". state a"]]) == [])
  }

  @Test(
    "in a world that is there already its machines count, up to where others may be there",
    arguments: [
      ("send a tap\nexpect a timers dubl\nsend q.one tap\nexpect q.two shut", ["2:17", "4:14"]),
      ("new key b\nsend b tpa\nsend c tap\ndrop q\nsend q tap", ["2:8", "3:6", "5:6"]),
      // A machine may be what it is now and what it becomes.
      ("drop a\nnew name a\nsend a tap\nsend a set x\nexpect a reading level 1", []),
      ("drop a\nnew key a\nexpect a reading lvl 1", ["3:18"]),
      // What was undone before the script, and other worlds, have machines of their own.
      ("send a tpa\nundo\nsend z tap", ["1:8"]), ("redo\nsend z tap", []), ("goto 1s\nsend a tpa", []),
      ("use other\nsend z tap", []), ("world drop w\nsend z tap", []),
      ("world new n\nuse n\nnew key k\nsend k tpa\nundo\nsend k tpa\nuse w\nsend a tpa", ["4:8", "6:8", "8:8"]),
      ("world new n => NAME-TAKEN\nuse n\nsend z tap", []), ("world fork n\nuse n\nundo\nsend z tap", []),
      ("repeat 2\nsend a tpa\nworld new n\nuse n\nundo\nend\nsend a tpa", ["2:8"]),
      ("new key a\nnew key q => NAME-TAKEN\nrepeat 2\nnew key a\ndrop a\nend", []),
      ("new key q\nnew key a\nnew key z\nsend z tpa", ["1:9", "2:9", "4:8"]),
      // The past may have what the world has not.
      ("list z => 0\njournal z\nwatch z", []),
      // World time does not go back, and a new world begins at 0.
      ("at 1s send a tap\nadvance until 3s\nadvance until 2.5s => BAD-ARGUMENT", ["1:4"]),
      ("world new n\nuse n\nat 1s new key k", []),
      ("repeat 3 as i\nat ${i}s send a tap\nend", ["2:4"]), ("repeat 3 as i\nat ${i}0s send a tap\nend", []),
      ("goto 0\nat 1s", []),
    ])
  func presentWorld(text: String, places: [String]) throws {
    let machines = ["a": "key", "q.one": "key", "q.two": "cabinet", "q": "pair"]
    #expect(try mistakes(text, machines: machines, now: 2_000_000_000) == places)
  }

  @Test(
    "of a script that could not be read in full the rest is looked at; what the lost lines may have made is no mistake",
    arguments: [
      ("new key k\nsned k tap\nexpect k onn\nsend l tap\nnew kye m", ["3:10", "4:6", "5:5"]),
      ("new key k x y z\nsend k tap\nnew key l\nsend l tpa", ["4:8"]),
      ("create key k\nsend k tap\nnew kye l", ["3:5"]), ("include gone.fsm\nsend k tap\nnew kye l", []),
      ("define d format=mermaid\nnew d m", []), ("load gone.mmd\nnew gone g\nnew key k\nsend k tpa", ["4:8"]),
      ("repeat x as i\nnew key k$i\nend\nsend k1 tap", []),
      ("repeat 1000000\nrepeat 1000000\nnew key k\nsend k tpa", []),
    ])
  func unread(text: String, places: [String]) throws {
    #expect(try mistakes(text) == places)
  }

  @Test("names with numbers in them meet where a number makes them equal")
  func names() {
    func meet(_ one: String, _ other: String) -> Bool { ScriptMachines.meet(Array(one.utf8), Array(other.utf8)) }
    for (one, other) in [("a*", "a12"), ("a*b*", "a1b2"), ("a*", "a*"), ("*1*", "*2*"), ("a*1", "a11"), ("a1*", "a*2")]
    {
      #expect(meet(one, other) && meet(other, one), "\(one) \(other)")
    }
    for (one, other) in [("a*", "a"), ("a*", "ab"), ("a*b", "a1c"), ("a*1", "a1"), ("a*b", "a*c"), ("*", "a*")] {
      #expect(!meet(one, other) && !meet(other, one), "\(one) \(other)")
    }
  }
}
