import LineProtocol
import TestSupport
import Testing

@testable import fsmrepl

struct PresenterTests {
  /// What is shown of the answer to a request.
  private func shown(
    _ request: String?, _ lines: String..., format: Presenter.Format = .people(.bare)
  ) throws -> String {
    var conversation = Conversation()
    if let request { _ = conversation.ask(request) }
    var presenter = Presenter(format: format)
    var text = ""
    for raw in lines {
      let line = try #require(raw.hasPrefix("{") ? ServerLine(json: raw) : ServerLine(raw), "\(raw)")
      text += presenter.show(conversation.receive(line), raw: RawLine(raw)).text
    }
    return text
  }

  @Test("what somebody points at, asks and says is a sentence; a text that is taken away is none")
  func pointed() throws {
    try expectEqual(shown(nil, "* 4 1.000 key pointed on"), "1.000  key  look at on\n")
    try expectEqual(
      shown(nil, "* 4 1.000 - pointed say=\"What happens? `send key tap`\" predict=yes"),
      "Somebody asks: What happens? `send key tap`\n")
    try expectEqual(shown(nil, "* 4 1.000 - pointed say=\"**One** of\\ntwo\""), "Somebody says: One of two\n")
    try expectEqual(shown(nil, "* 4 1.000 - pointed say=\"\""), "")
  }

  @Test(
    "answers in words",
    arguments: [
      ("send key tap", "+ moved off on t=0.000 seq=2", "off → on  0.000s #2\n"),
      ("send f open", "+ moved a b t=1.000 seq=2 outputs=x,y", "a → b  ⇒ x, y  1.000s #2\n"),
      ("send f open", "+ moved a c t=1.000 seq=2 : by way of b", "a → c: by way of b  1.000s #2\n"),
      ("send f open", "+ stayed a t=1.000 seq=2", "stayed in a  1.000s #2\n"),
      ("send f open", "+ ignored a t=1.000 seq=2", "ignored, still a  1.000s #2\n"),
      (
        "send f open", "+ ignored a t=1.000 seq=2 : the guard is false",
        "ignored, still a: the guard is false  1.000s #2\n"
      ),
      ("new shiftKey key", "+ created key off t=0.000 seq=1", "key created, off  0.000s #1\n"),
      ("new phoneCall c", "+ created c members=2 t=0.000 seq=2", "c created, 2 members  0.000s #2\n"),
      ("drop key", "+ dropped key t=0.000 seq=1", "key dropped  0.000s #1\n"),
      ("advance 1s", "+ advanced fired=1 t=1.000 seq=1", "1 timer fired  1.000s #1\n"),
      ("step", "+ stepped fired=0 t=1.000 seq=1", "0 timers fired  1.000s #1\n"),
      ("await key on", "+ reached on t=1.000 seq=1", "reached on  1.000s #1\n"),
      ("can key tap", "+ yes", "yes\n"),
      ("can key tap", "+ no : the key is off", "no: the key is off\n"),
      (
        "can j cancel", "+ no from=processing way=start,loaded : it is not processing",
        "no: it is not processing\n  possible in processing, by way of: start, loaded\n"
      ),
      ("expect key on", "+ on t=1.000", "✓ on  1.000s\n"),
      ("watch *", "+ watching 1", "1 watch\n"), ("unwatch *", "+ watching 0", "nothing is watched\n"),
      ("use lesson", "+ world=lesson clock=virtual t=0.000 seq=0", "now in lesson, clock virtual  0.000s #0\n"),
      ("world", "+ world=main clock=real t=0.000 seq=0", "in main, clock real  0.000s #0\n"),
      ("world new w", "+ created w", "world w created\n"),
      ("sync", "+ t=0.000 seq=0", "all done  0.000s #0\n"),
      (
        "cast * tap", "+ 3 moved=1 stayed=0 ignored=2 refused=0 t=0.000",
        "3  moved 1, stayed 0, ignored 2, refused 0  0.000s\n"
      ),
      ("begin", "+", "a batch begins: end runs it, discard drops it\n"),
      ("end", "+ batch=1 t=0.000 seq=2", "the batch has run, 1 line  0.000s #2\n"),
      ("point key on", "+", "shown to all who watch\n"),
      ("discard", "+ discarded 3", "the batch is dropped, 3 lines; nothing was run\n"),
      ("clock", "+ clock real speed=1 paused=no t=0.000 seq=0", "real clock  0.000s #0\n"),
      ("clock", "+ clock real speed=60 paused=yes t=0.000 seq=0", "real clock, speed 60, paused  0.000s #0\n"),
      ("pause", "+ speed=1 paused=yes t=0.000 seq=0", "clock paused  0.000s #0\n"),
      ("speed 60", "+ speed=60 paused=no t=0.000 seq=0", "clock running, speed 60  0.000s #0\n"),
      ("future", "+ strange words=1 : and text", "strange  words 1  and text\n"),
      ("list", "+ 0", "none\n"), ("diff a b", "+ 0", "no difference\n"),
      ("undo", "+ t=1.350 seq=4", "now at 1.350s  #4\n"),
      ("goto 1s", "+ paused=yes t=1.000 seq=5", "now at 1.000s; the clock is paused, 'resume' lets it go on  #5\n"),
      ("world fork w", "+ created w", "world w created\n"),
      ("world fork w", "+ created w durable=no", "world w created; it is not durable, as 'durable=yes' makes it\n"),
    ])
  func answers(request: String, line: String, expected: String) throws {
    try expectEqual(shown(request, line), expected)
  }

  @Test("what is different in two worlds is said of each")
  func differences() throws {
    try expectEqual(
      shown(
        "@x diff lesson trial", ". @x time 1.000 2.500", ". @x only trial lamp power off", ". @x kind k shiftKey power",
        ". @x state key on capsLock", ". @x hidden box full", ". @x parameter f start 4 5",
        ". @x reading f temperature 4.000 -", ". @x timer key doubleTap 0.350 -", ". @x wire lesson a out b in",
        ". @x news of tomorrow", "+ @x 10"),
      """
        the time: 1.000s in lesson, 2.500s in trial
        lamp: only in trial, a power, off
        k: a shiftKey in lesson, a power in trial
        key: on in lesson, capsLock in trial
        box: full in both, but its hidden data differ
        f, made with start: 4 in lesson, 5 in trial
        f, temperature: 4.000 in lesson, none in trial
        key, doubleTap: due 0.350s in lesson, not running in trial
        the wire a out → b in: only in lesson
      . @x news of tomorrow

      """)
  }

  @Test("what was undone, in notices and in the journal")
  func undone() throws {
    try expectEqual(shown(nil, "* 4 1.000 - undone from=2 to=3"), "1.000  #2 to #3 undone\n")
    try expectEqual(shown(nil, "* 4 1.000 - undone from=3 to=3"), "1.000  #3 undone\n")
    try expectEqual(shown(nil, "* 4 1.000 - undone"), "1.000  time went back\n")
    try expectEqual(
      shown(
        "journal", ". 2 1.000 key moved off on event=tap undone=4", ". 2 1.000 key armed w due=1.350 undone=4",
        ". 4 1.000 - undone from=2 to=3 undone=5", "+ 3"),
      """
      #2 1.000  key  off → on  (event tap)  undone by #4
      #2 1.000  key  w until 1.350  undone by #4
      #4 1.000  #2 to #3 undone  undone by #5

      """)
  }

  @Test("objects are shown in words too, if somebody asks for them at a prompt for people")
  func objects() throws {
    try expectEqual(
      shown("send key tap", #"{"class":"success","what":"moved","from":"off","to":"on","t":0.000,"seq":2}"#),
      "off → on  0.000s #2\n")
    try expectEqual(
      shown(
        "graph doorFridge format=dot", #"{"class":"data","text":"  \"a\" -> b"}"#, #"{"class":"success","lines":1}"#
      ), "  \"a\" -> b\n")
    let raw = #"{"class":"success","tag":".1","name":",\"tag\":\".1\""}"#
    try expectEqual(shown("list", raw, format: .wire), #"{"class":"success","name":",\"tag\":\".1\""}"# + "\n")
  }

  @Test("a coverage has a heading for each kind, its figures in per cent, and what was not tried")
  func coverage() throws {
    try expectEqual(
      shown(
        "coverage",
        ". kind lift machines=2 states=3/3 transitions=1/12 timers=0/0 unreachable=1 impossible=0 since=5 graph=partial",
        ". region lift door states=1/2", ". untried lift transition shut open event=call",
        ". untried lift switch shut call open press shut", ". untried lift guard open event=press lacks=stayed",
        ". more lift pair 7", ". kind power machines=1 states=0/2", "+ 7"),
      """
      lift  2 machines, since #5, as far as explored
        states       3/3   100 %
        transitions  1/12  8 %
        unreachable  1
        region     door  states=1/2
        untried    transition  shut → open         event=call
        untried    switch      shut → open → shut  call, press
        untried    guard       open                event=press  lacks=stayed
        more       pair  7
      power  1 machine
        states  0/2  0 %
        tried/all; switch: two transitions in a row

      """)
  }

  @Test(
    "failures say what, and what instead",
    arguments: [
      (
        "- REFUSED machine=key state=off event=x allowed=tap,cancel t=0.000 seq=5 : the key is off",
        "refused: the key is off  0.000s #5\n  possible now: tap, cancel\n"
      ),
      (
        "- REFUSED machine=j state=idle event=cancel allowed=start from=busy way=start,loaded t=0.000 seq=5 : it is idle",
        "refused: it is idle  0.000s #5\n  possible now: start\n  possible in busy, by way of: start, loaded\n"
      ),
      (
        "- REFUSED machine=key state=off event=x allowed=\"\" t=0.000 seq=5",
        "refused: key x is not possible in off  0.000s #5\n  no event is possible now\n"
      ),
      (
        "- UNKNOWN-MACHINE name=kye did-you-mean=key : there is no machine 'kye'",
        "error: there is no machine 'kye' (UNKNOWN-MACHINE)\n  did you mean key?\n"
      ),
      (
        "- UNKNOWN-VERB verb=lst did-you-mean=list : there is no verb 'lst'; 'help' lists them",
        "error: there is no verb 'lst'; 'help' lists them (UNKNOWN-VERB)\n  did you mean list?\n"
      ),
      ("- EXPECTED expected=on got=off : key is in off", "not as expected: key is in off\n"),
      ("- EXPECTED expected=on got=off", "not as expected: on wanted, off found\n"),
      ("- TIMEOUT state=on t=5.000", "timed out: still on  5.000s\n"),
      (
        "- TIMEOUT state=on way=tap,tap t=5.000 : no timer runs; key is in on",
        "timed out: no timer runs; key is in on  5.000s\n  by way of: tap, tap\n"
      ),
      ("- CANCELLED : by this connection", "cancelled\n"),
      ("- CANCELLED t=5.000 seq=7 fired=1 : by this connection", "cancelled, 1 timer fired  5.000s #7\n"),
      ("- CANCELLED done=3 t=5.000 seq=7", "cancelled, 3 done  5.000s #7\n"),
      ("- BATCH index=3 : not run", "line 3 was not run\n"),
      ("- BATCH index=3", "batch stopped at line 3\n"),
      ("- LIMIT name=clients value=256", "error: name clients, value 256 (LIMIT)\n"),
    ])
  func failures(line: String, expected: String) throws {
    try expectEqual(shown("send key x", line), expected)
  }

  @Test(
    "what happens",
    arguments: [
      ("* 2 0.000 key moved off on event=tap", "0.000  key  off → on  (event tap)\n"),
      ("* 2 0.000 key output track x \"a b\"", "0.000  key  ⇒ track x \"a b\"\n"),
      ("* 2 0.000 key armed t due=0.350", "0.000  key  t until 0.350\n"),
      ("* 2 0.000 key expired t due=0.350", "0.000  key  t expired\n"),
      ("* 2 0.000 key refused off wire=a.b", "0.000  key  refused in off  (wire a.b)\n"),
      ("* 2 0.000 key created shiftKey off", "0.000  key  created, a shiftKey, off\n"),
      ("* 2 0.000 key dropped", "0.000  key  dropped\n"),
      ("* 7 0.000 - clock virtual", "0.000  clock virtual\n"),
      ("* odd", "* odd\n"),
      (
        "! gap from=3 to=9",
        "notices 3 to 9 were dropped, as they were not read fast enough; 'journal since=3' has them\n"
      ),
      (
        "! livelock world=w machine=m timer=tick t=1.000",
        "livelock: timer tick of m loops without time passing; timers that are due wait, in the world w  1.000s\n"
      ),
      (
        "! livelock world=w machine=m output=bang t=1.000",
        "livelock: output bang of m loops through wires without end; the rest was not delivered, in the world w  1.000s\n"
      ),
      ("! world dropped=w", "the world w was dropped; back in main\n"),
      ("! bye reason=shutdown", "the daemon is shutting down\n"),
    ])
  func events(line: String, expected: String) throws {
    try expectEqual(shown(nil, line), expected)
  }

  @Test("rows line up, numbers at the right, text last")
  func table() throws {
    try expectEqual(
      shown("kinds", ". a n=1 : first", ". longer n=22 : second", "+ 2"),
      "  a       n=1   first\n  longer  n=22  second\n")
    try expectEqual(
      shown("count", ". a on 5", ". b off 12", "+ 2"), "  a  on    5\n  b  off  12\n  kind, state, number of machines\n"
    )
  }

  @Test("a usage is one column, and what does not fit the screen goes on below")
  func wraps() throws {
    var conversation = Conversation()
    _ = conversation.ask("help")
    var presenter = Presenter(format: .people(.bare), columns: { 60 })
    var text = ""
    for raw in [
      ". list [PATTERN] [limit=N] : machines by name and then some words more", ". quit : leaves",
      ". world new W [clock=virtual] [seed=0] [durable=no] : makes one of them", "+ 3",
    ] {
      text += presenter.show(conversation.receive(try #require(ServerLine(raw))), raw: RawLine(raw)).text
    }
    expectEqual(
      text,
      """
        list [PATTERN] [limit=N]  machines by name and then some
                                  words more
        quit                      leaves
        world new W [clock=virtual] [seed=0] [durable=no]
            makes one of them
        define KIND [resource=PATH]
            format=scxml|mermaid|plantuml|xstate
            a kind from a document: its lines follow, up to
            'enddefine'; or a file that a document refers to
        load FILE [as KIND] [strict] [follow [anew]]
            a kind from a statechart in SCXML (.scxml), Mermaid
            (.mmd), PlantUML (.puml) or XState (.json), or a
            diagram of a page (README.md#2); with strict in the
            formal notation alone, with follow again whenever the
            file is saved, up to the next load of it; with follow
            anew its machines are also made again
        save FILE [replace]       writes the present world as a
                                  script, for 'fsmrepl run'
        export NAME FOLDER        writes a machine with its
                                  diagram, its past and a page
                                  that replays it
        record [FILE] [replace]   writes the session from now on
                                  as a transcript for 'fsmrepl
                                  check'; without FILE, says
                                  whether it does
        record off                ends that

      """)
    expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
  }

  @Test("times are shown to the millisecond, and from a minute on as people say them; wire lines have them as they are")
  func milliseconds() throws {
    try expect(shown(nil, "* 2 8.108617289 key moved off on event=tap"), hasPrefix: "8.108  key")
    try expect(shown(nil, "* 2 86743.500123 key moved off on event=tap"), hasPrefix: "1d 00:05:43.5  key")
    try expect(shown("send key tap", "+ moved off on t=343.116647296 seq=2"), hasSuffix: "00:05:43.116 #2\n")
    try expect(shown("send key tap", "+ moved off on t=0.350000001 seq=2"), hasSuffix: "0.350s #2\n")
    let wire = "+ moved off on t=343.116647296 seq=2"
    try expectEqual(shown("send key tap", wire, format: .wire), wire + "\n")
    try expect(shown(nil, "* 2 8.1 key dropped"), hasPrefix: "8.1  key")
  }

  @Test("sections have columns of their own")
  func sections() throws {
    let text = try shown(
      "show f", ". state cooling", ". reading temperature 4.000 °C", ". reading items 3", ". allowed open close", "+ 4")
    expectEqual(
      text,
      """
        state      cooling
        reading    temperature  4.000  °C
        reading    items            3
        can        open, close

      """)
  }

  @Test("the journal reads like what happened, with its numbers")
  func journal() throws {
    try expectEqual(
      shown("journal", ". 2 0.000 key moved off on event=tap", "+ 1"), "#2 0.000  key  off → on  (event tap)\n")
  }

  @Test("a long reply is shown in portions")
  func portions() throws {
    var conversation = Conversation()
    _ = conversation.ask("list")
    var presenter = Presenter(format: .people(.bare))
    var shown = 0
    for index in 0..<1_200 {
      let raw = ". m\(index) power off"
      let text = presenter.show(conversation.receive(try #require(ServerLine(raw))), raw: RawLine(raw)).text
      shown += text.split(separator: "\n").count
      expect(shown + Table.portion > index)
    }
    let last = presenter.show(conversation.receive(try #require(ServerLine("+ 1200"))), raw: "+ 1200").text
    expectEqual(shown + last.split(separator: "\n").count, 1_201)  // With the legend.
  }

  @Test("the wire is shown as it is, but for the tags that we put there")
  func wire() throws {
    try expectEqual(shown("list", ". @.1 a b c", "+ @.1 1", format: .wire), ". a b c\n+ 1\n")
    try expectEqual(shown("@x list", ". @x a b c", "+ @x 1", format: .wire), ". @x a b c\n+ @x 1\n")
    try expectEqual(shown(nil, "* 1 0.000 a dropped", format: .wire), "* 1 0.000 a dropped\n")
    try expectEqual(shown("list", "- SYNTAX : no", format: .wire), "- SYNTAX : no\n")
  }

  @Test("what a notice has told of an input its answer does not tell again")
  func tellsOnce() throws {
    var conversation = Conversation()
    var presenter = Presenter(format: .people(.bare))
    func shown(_ request: String, _ lines: String...) throws -> String {
      _ = conversation.ask(request)
      return try lines.map { raw in
        let line = try #require(ServerLine(raw), "\(raw)")
        return presenter.show(conversation.receive(line), raw: RawLine(raw)).text
      }.joined()
    }
    let notice = "0.000  key  off → on  (event tap)\n"
    try expectEqual(
      shown("send key tap", "* 2 0.000 key moved off on event=tap", "+ @.1 moved off on t=0.000 seq=2"), notice)
    try expectEqual(shown("send key tap", "+ @.2 stayed on t=0.000 seq=3"), "stayed in on  0.000s #3\n")
    try expectEqual(shown("expect key on", "+ @.3 on t=0.000 seq=2"), "✓ on  0.000s #2\n")
    try expect(
      shown("@x send key tap", "* 4 0.000 key moved on off event=tap", "+ @x moved on off t=0.000 seq=4"),
      hasSuffix: "@x on → off  0.000s #4\n")
    expect(presenter.hasReported("2") && !presenter.hasReported("3"))
    // In another world the same numbers are other inputs.
    _ = try shown("use lesson", "+ @.4 world=lesson clock=virtual t=0.000 seq=1")
    try expectEqual(shown("send key tap", "+ @.5 moved off on t=0.000 seq=2"), "off → on  0.000s #2\n")
  }

  @Test("for a room nothing is dim or coloured, the state is drawn in blocks, and times are as people say them")
  func presents() throws {
    let style = Style(usesColour: false, usesUnicode: true, isPresenting: true)
    try expectEqual(
      shown("send key tap", "+ moved off on t=86743.500 seq=2", format: .people(style)),
      """
      off → on  1d 00:05:43.5 #2
        key

          ████    ██      ██
        ██    ██  ████    ██
        ██    ██  ██  ██  ██
        ██    ██  ██    ████
          ████    ██      ██


      """)
    let ascii = Style(usesColour: false, usesUnicode: false, isPresenting: true)
    let show = try shown(
      "show f", ". state a1", ". timer minimum due=343.116647296 left=3.000", "+ 2", format: .people(ascii))
    expect(
      show.hasPrefix("  f\n\n    ####      ##\n  ##    ##  ####\n")
        && show.contains("\n  timer      minimum  due=00:05:43.116  left=3s\n"))
    // Readings that are times, too, and what a refused time is held against; a number with another unit is none.
    let readings = [". reading tappedAt 86743.500123 s", ". reading temperature 3.400123456 °C", "+ 2"]
    try expectEqual(
      shown("show f", readings[0], readings[1], readings[2], format: .people(style)),
      "  reading    tappedAt     1d 00:05:43.5\n  reading    temperature  3.400123456    °C\n")
    try expect(shown("show f", readings[0], "+ 1"), contains: "86743.500123  s\n")
    try expectEqual(
      shown("stats", ". uptime 343.116647296 s", ". clients 1 connections", "+ 2", format: .people(style)),
      "  uptime   00:05:43.116\n  clients  1             connections\n")
    let late = "- BAD-ARGUMENT argument=time got=3d allowed=\"up to 86743.500123\" : it is only 86743.500123; wait"
    try expectEqual(
      shown("goto 3d", late, format: .people(style)),
      "error: it is only 1d 00:05:43.5; wait (BAD-ARGUMENT)\n  allowed: up to 1d 00:05:43.5\n")
    // Elsewhere it can be typed.
    let both = "1d 00:05:43.5 (86743.500123s)"
    try expectEqual(
      shown("goto 3d", late), "error: it is only \(both); wait (BAD-ARGUMENT)\n  allowed: up to \(both)\n")
    let soon = "- BAD-ARGUMENT argument=time got=3d allowed=\"up to 0.350123\" : it is only 400000.000"
    try expectEqual(
      shown("goto 9d", soon),
      "error: it is only 4d 15:06:40 (400000s) (BAD-ARGUMENT)\n  allowed: up to 0.350123\n")
    try expectEqual(
      shown("who", ". ana client=1 world=main since=86743.500 idle=0.250", "+ 1", format: .people(style)),
      "  ana  client=1  world=main  since=1d 00:05:43.5  idle=0.25s\n")
    try expectEqual(
      shown("send f x", "- REFUSED machine=f state=größe event=x t=60.000 seq=5 : no", format: .people(style)),
      """
      refused: no  00:01:00 #5
        f
        ┏━━━━━━━━━━━━━┓
        ┃    größe    ┃
        ┗━━━━━━━━━━━━━┛

      """)
    try expectEqual(
      shown(nil, "* 2 90061.001 key armed w due=90061.250", format: .people(style)),
      "1d 01:01:01.001  key  w until 1d 01:01:01.25\n")
    let colours = Style(usesColour: true, usesUnicode: true, isPresenting: true)
    let coloured = try shown("send key tap", "+ moved off on t=0.000 seq=2 outputs=x", format: .people(colours))
    // Only the new state is reversed, and nothing has a colour.
    expect(coloured.contains("\u{1B}[1moff\u{1B}[0m") && coloured.contains("\u{1B}[1;7mon\u{1B}[0m"))
    expect(!coloured.contains(/\u{1B}\[(2|[0-9;]*3[0-9])m/))
    // A program reads the time as the daemon wrote it.
    try expectEqual(shown("send key tap", "+ moved off on t=86743.500", format: .wire), "+ moved off on t=86743.500\n")
  }

  @Test("a state that is wider than the screen is broken between its regions, and within them if it must be")
  func wideStates() {
    let text = StateFrame.text("foreground+noAlert+idle", of: nil, width: 25, style: .bare).text
    let rows = ["┏━━━━━━━━━━━━┓", "┃ foreground ┃", "┃  +noAlert  ┃", "┃   +idle    ┃", "┗━━━━━━━━━━━━┛"]
    expectEqual(text, rows.map { "  \($0)\n" }.joined())
    for width in [20, 40, 80] {
      let long = StateFrame.text(String(repeating: "x", count: 100), of: nil, width: width, style: .bare).text
      expect(long.split(separator: "\n").allSatisfy { $0.count < width })
    }
    expect(StateFrame.text("a\u{1B}[2J", of: nil, width: 40, style: .bare).text, contains: "a\\e[2J")
  }

  @Test("block letters fit the screen: doubled, single, each region below the other, or not at all")
  func blockLetters() {
    func widths(_ state: String, _ width: Int) -> (rows: Int, widest: Int, isDrawn: Bool) {
      let rows = StateFrame.text(state, of: "m", width: width, style: .bare).text.split(separator: "\n")
      return (rows.count - 1, rows.map(\.count).max() ?? 0, !rows.contains { $0.contains("┏") })
    }
    expect(widths("on", 80) == (5, 22, true))
    expect(widths("capsLock", 80) == (5, 41, true))
    expectEqual(widths("capsLock", 40).isDrawn, false)
    expect(widths("capsLock+on", 45).isDrawn)
    for scalar in "abcdefghijklmnopqrstuvwxyz0123456789+.,()-_ ".unicodeScalars {
      let rows = BlockLetters.rows("\(scalar)")
      expect(rows?.count == 5 && Set(rows?.map(\.count) ?? []).count == 1, "\(scalar)")
    }
  }

  @Test("rows, usages and headings break between words on narrow screens", arguments: [20, 40])
  func narrowRows(width: Int) throws {
    for (request, row) in [
      ("kinds", ". fridge states=2 events=2 form=\"enum and switch\" group=devices : it cools down to one set-point"),
      ("help", ". graph KIND|NAME [format=table|dot|mermaid|stateDiagram|svg] [width=N] : a diagram"),
      ("list", ". f smartFridge cooling.minOn+openTooLong+normal"), ("agenda", ". 1.000 key doubleTap due=1.000"),
      ("coverage", ". kind smartFridge machines=1 graph=partial"),
    ] {
      var conversation = Conversation()
      _ = conversation.ask(request)
      var presenter = Presenter(format: .people(.bare), localUsages: [], columns: { width })
      let text = [row, "+ 1"].compactMap { raw in
        ServerLine(raw).map { presenter.show(conversation.receive($0), raw: RawLine(raw)).text }
      }.joined()
      expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(text)")
    }
  }

  @Test("times of inputs below a waveform have milliseconds where others have, in as many columns")
  func waveTimes() throws {
    let room = Style(usesColour: false, usesUnicode: true, isPresenting: true)
    let axis = "t [s]    0.000      1.917        5.188"
    let row = "1.91760979    1  key      ▼ new  created"
    let wave = try shown("wave key", ". \(axis)", ". \(row)", "+ 2", format: .people(room))
    expectEqual(wave, "\(axis)\n     1.917    1  key      ▼ new  created\n")
    // Fonts of terminals do not have the sign that tables use.
    try expectEqual(shown("graph key", ". off  ⟲", "+ 1", format: .people(room)), "off  ⟲\n")
  }

  @Test("for a room the state that notices tell is drawn once, for the machine that was shown last")
  func news() throws {
    var conversation = Conversation()
    var presenter = Presenter(format: .people(Style(usesColour: false, usesUnicode: true, isPresenting: true)))
    func take(_ raw: String) throws {
      _ = presenter.show(conversation.receive(try #require(ServerLine(raw))), raw: RawLine(raw))
    }
    _ = conversation.ask("send key tap")
    try take("+ @.1 moved off on t=0.000 seq=2")
    expectEqual(presenter.takeNews(), "")
    try take("* 3 1.000 other moved a b event=x")
    expectEqual(presenter.takeNews(), "")
    try take("* 4 1.000 key moved on off event=tap")
    try take("* 5 1.000 key moved off on event=tap")
    expectEqual(presenter.takeNews(), "")
    try take("* 6 1.000 key moved on off event=tap")
    expect(presenter.takeNews().text, hasPrefix: "  key\n\n    ████    ████████")
    expectEqual(presenter.takeNews(), "")
    // The answer to what a notice has told has its own.
    _ = conversation.ask("send key tap")
    try take("* 7 1.000 key moved off on event=tap")
    try take("+ @.2 moved off on t=1.000 seq=7")
    expectEqual(presenter.takeNews(), "")
  }

  @Test("very long words are cut for people, with their length, and for nobody else")
  func longWords() throws {
    let line = "* 2 1.000 box output put \(String(repeating: "x", count: 60_000))"
    try expect(shown(nil, line), contains: "xxx… (60000 characters)")
    try expectEqual(shown(nil, line, format: .wire), line + "\n")
  }

  @Test("a tag of the user's own stands before the answer")
  func ownTag() throws {
    try expectEqual(shown("@x pause", "+ @x x=1"), "@x clock running\n")
  }

  @Test("what the program asks for itself is not shown")
  func silent() throws {
    var conversation = Conversation()
    _ = conversation.ask("sync", by: .program)
    var presenter = Presenter(format: .wire)
    expectEqual(presenter.show(conversation.receive(try #require(ServerLine("+ @.1"))), raw: "+ @.1"), "")
  }

  @Test("colours change nothing but colours")
  func colours() throws {
    let style = Style(usesColour: true, usesUnicode: true)
    let coloured = try shown("send key tap", "+ moved off on t=0.000 seq=2", format: .people(style))
    expect(coloured, contains: "\u{1B}[36moff\u{1B}[0m")
    // Amber is the state of now.
    expect(coloured, contains: "\u{1B}[33mon\u{1B}[0m")
    let bare = coloured.replacing(/\u{1B}\[[0-9]+m/, with: "")
    expectEqual(bare, "off → on  0.000s #2\n")
    let plain = Style(usesColour: false, usesUnicode: false)
    try expectEqual(
      shown("send key tap", "+ moved off on t=0.000 seq=2", format: .people(plain)), "off -> on  0.000s #2\n")
  }

  @Test("a diagram is shown as it is, and in a table the row of the present state stands out")
  func diagrams() throws {
    func shown(_ request: String, _ style: Style) -> String {
      var conversation = Conversation()
      _ = conversation.ask(request)
      var presenter = Presenter(format: .people(style))
      return [". @.1 ", ". @.1   0 [label=\"\", a=b]", ". @.1 > on  → off", ". @.1 @enduml", "+ @.1 4"].compactMap {
        raw in
        (ServerLine(raw) ?? ServerLine(whole: raw)).map { presenter.show(conversation.receive($0), raw: RawLine(raw)) }
      }.joined().text
    }
    let plain = "\n  0 [label=\"\", a=b]\n> on  → off\n@enduml\n"
    let colours = Style(usesColour: true, usesUnicode: true)
    expectEqual(shown("graph key format=dot", colours), plain)
    expectEqual(shown("graph key", .bare), plain)
    expectEqual(shown("graph key", colours), plain.replacing("> on  → off", with: "\u{1B}[1m> on  → off\u{1B}[0m"))
  }
}
