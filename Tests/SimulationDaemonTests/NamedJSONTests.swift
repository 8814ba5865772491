import Foundation
import TestSupport
import Testing

@testable import LineProtocol
@testable import SimulationDaemon

@Suite("JSON: a member for each word")
struct NamedJSONTests {
  let host = HostedService()

  @Test("the words of replies, notices and lines of the journal are members")
  func members() {
    let guest = host.connect(toWorld: "w")
    expectEqual(guest.say("@m mode json"), [#"{"class":"success","tag":"m"}"#])
    expectEqual(
      guest.say("@7 new shiftKey key\nlist"),
      [
        #"{"class":"success","tag":"7","what":"created","name":"key","state":"off","t":0.000,"seq":1}"#,
        #"{"class":"data","name":"key","kind":"shiftKey","state":"off"}"#, #"{"class":"success","lines":1}"#,
      ])
    expectEqual(
      guest.say("watch * what=all\nsend key tap\nsend key character c=A\n@r send key nosuch\nunwatch *"),
      [
        #"{"class":"success","what":"watching","patterns":1}"#,
        #"{"class":"notice","seq":2,"t":0.000,"name":"key","what":"moved","from":"off","to":"on","event":"tap"}"#,
        #"{"class":"notice","seq":2,"t":0.000,"name":"key","what":"armed","timer":"doubleTap","due":0.350}"#,
        #"{"class":"success","what":"moved","from":"off","to":"on","t":0.000,"seq":2}"#,
        #"{"class":"notice","seq":3,"t":0.000,"name":"key","what":"moved","from":"on","to":"off","event":"character"}"#,
        #"{"class":"notice","seq":3,"t":0.000,"name":"key","what":"disarmed","timer":"doubleTap","due":0.350}"#,
        #"{"class":"notice","seq":3,"t":0.000,"name":"key","what":"output","output":"text","data":["A"]}"#,
        #"{"class":"success","what":"moved","from":"on","to":"off","t":0.000,"seq":3,"outputs":["text"]}"#,
        #"{"class":"failure","tag":"r","code":"UNKNOWN-EVENT","machine":"key","event":"nosuch","allowed":["tap","character"],"text":"a shiftKey has no event 'nosuch'"}"#,
        #"{"class":"success","what":"watching","patterns":0}"#,
      ])
    expectEqual(
      guest.say("journal limit=1 what=moves\nexpect key off\nsync\nquit"),
      [
        #"{"class":"data","seq":3,"t":0.000,"name":"key","what":"moved","from":"on","to":"off","event":"character"}"#,
        #"{"class":"data","seq":3,"t":0.000,"name":"key","what":"output","output":"text","data":["A"]}"#,
        #"{"class":"success","lines":2}"#, #"{"class":"success","state":"off","t":0.000}"#, #"{"class":"success"}"#,
        #"{"class":"success"}"#, #"{"class":"flow","what":"bye","reason":"quit"}"#,
      ])
  }

  /// A conversation with every verb that answers with words, in every shape.
  private static let conversation = """
    help
    help send
    kinds caps
    describe shiftKey
    describe proxy
    describe mviTrace
    describe fridge
    world
    world new other
    new fridge f start=4
    new shiftKey key
    new phoneCall call
    new power lamp
    new smtp mail
    describe key
    list
    count
    show f
    show call.tracker
    can key
    can call.phone
    can key tap
    can call.phone hangUp
    send key tap
    send f maxTemperatureReached
    send call.phone hangUp
    cast * buttonClick
    wire f compressorOn lamp buttonClick
    wires
    fire f minTemperatureReached
    unwire f compressorOn lamp buttonClick
    watch *
    watch key since=1 what=all
    unwatch *
    point key on
    who
    journal what=all
    wave
    script
    graph key
    graph doorFridge format=dot
    coverage
    coverage kind=shiftKey
    clock
    agenda
    advance 100ms
    step
    await lamp on within=1s
    expect lamp off
    expect lamp on
    undo
    redo
    undo
    goto 0
    world fork trial
    drop lamp
    drop call
    new power lamp initial=on
    send f doorOpened
    diff w trial
    diff w other
    worlds
    activities
    begin
    new power batched
    list
    end
    begin strict
    list
    discard
    client plant
    quiet on
    new power silent
    send silent buttonClick
    quiet off
    limits
    stats
    sync
    cancel
    undefine nosuch
    clock real
    speed 2
    pause
    resume
    use other
    mode json
    world drop trial
    """

  @Test("the objects of each verb have all that the text has")
  func everyVerb() throws {
    let (named, text) = (host.connect(toWorld: "w"), HostedService().connect(toWorld: "w"))
    _ = named.say("mode json")
    var verbs: Set<String> = []
    let document = DefinedKindsTests.toggle
    let definitions = [
      "define toggle format=scxml bytes=\(document.utf8.count)\n\(document)",
      "define broken format=scxml bytes=5\n<scx>", "define r resource=a.txt format=scxml bytes=2\nhi",
    ]
    for request in definitions + Self.conversation.split(separator: "\n").map(String.init) {
      verbs.insert(String(request.prefix { $0 != " " }))
      // The other stays as it is.
      let plain = request == "mode json" ? "mode text" : request
      let (objects, lines) = (named.say("@t " + request), text.say("@t " + plain))
      expectEqual(objects.count, lines.count, "\(request)")
      for (object, line) in zip(objects, lines) {
        let content = try #require(NamedObject(object), "\(request): \(object)")
        // Pictures are texts of their own, and memory differs.
        guard !request.contains("graph"), !["wave", "script", "stats"].contains(request) else { continue }
        let parsed = try #require(ServerLine(line))
        if content.members["usage"] != nil { continue }
        // Every word of the text is a value of the object, once.
        var words = parsed.words
        if parsed.lineClass == .data, request.hasPrefix("help") { words = [] }
        for word in words + parsed.fields.map(\.value) {
          expect(content.has(word), "\(request): '\(word)' of \(line) is not in \(object)")
        }
        // Arguments are named by authors of machines, and are an object of their own.
        if object.contains(#""arguments":{"#) { continue }
        expectEqual(Set(content.names).count, content.names.count, "\(object)")
      }
    }
    let missing = Set(Verb.allCases.map(\.name)).subtracting(verbs).subtracting(["quit", "shutdown"])
    expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test("random conversations have no line without a shape", arguments: Thorough.rounds(1..<7))
  func random(seed: UInt64) {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("mode json")
    var requests = RandomRequests(seed: seed, HostedService.catalogue)
    for _ in 0..<400 {
      let request = requests.request()
      // A long stretch of time has too many ticks for a test.
      if request.hasPrefix("mode") || request.contains("d") && request.hasPrefix("advance") { continue }
      let mayBeTexts = ["graph", "wave", "script", "end"].contains { request.hasPrefix($0) }
      for line in guest.say(request) where !mayBeTexts {
        expect(!line.hasPrefix(#"{"class":"data","text":"#), "seed \(seed), \(request): \(line)")
      }
    }
  }

  @Test("the documentation has the members of every verb")
  func documentation() throws {
    let page = try Document("Docs/Json.md").text
    for verb in Verb.allCases {
      let row =
        "| `\(verb.name)` | \(Self.written(verb.replyShapes.data)) | \(Self.written(verb.replyShapes.success)) |"
      expect(page.contains(row), "Docs/Json.md lacks the row \(row)")
    }
    for shape in ReplyShape.history {
      expect(page, contains: "| \(Self.written([shape])) |", "Docs/Json.md lacks the row | \(Self.written([shape])) |")
    }
  }

  private static func written(_ shapes: [ReplyShape]) -> String {
    shapes.map { shape in
      let words = zip(shape.members, shape.text.split(separator: " "))
      let members = words.map { member, word in
        word.first?.isLowercase == true
          ? "`\(member)`=`\(word)`" : "`\(member)`" + (word.hasPrefix("[") ? "?" : word.hasSuffix("…") ? " (list)" : "")
      }
      return members.isEmpty ? "–" : members.joined(separator: " ")
    }.joined(separator: "<br>")
  }
}

/// An object of `mode json`, taken apart.
private struct NamedObject {
  let names: [String]
  let members: [String: String]

  init?(_ text: String) {
    guard let line = ServerLine(json: text) else { return nil }
    names = line.fields.map(\.key)
    members = Dictionary(line.fields.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    others = line.words + line.fields.map(\.value)
  }

  private let others: [String]

  /// Whether a word is a value, or an element of one.
  func has(_ word: String) -> Bool {
    others.contains(word) || members.values.contains { $0 == word || $0.split(separator: ",").contains { $0 == word } }
  }
}
