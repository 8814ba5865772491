/// What a request can ask for.
package enum Verb: UInt8, CaseIterable, Sendable {
  case help, kinds, describe, define, undefine
  case new, drop, list, count, show, can
  case send, cast, wire, unwire, wires
  case watch, unwatch, point, journal, wave, script, graph, coverage
  case clock, speed, pause, resume, advance, step, agenda, fire, await, cancel, expect
  case undo, redo, goto
  case world, use, worlds, diff, who
  case begin, end, discard, client, quiet, mode
  case limits, stats, activities, sync, quit, shutdown

  /// The verb a word names, compared exactly.
  ///
  /// - Complexity: O(1); no verb is longer than sixteen bytes, so a word is compared as one number.
  @inline(__always)
  package init?(_ word: UnsafeRawBufferPointer) {
    if word.count == 4, word.loadUnaligned(as: UInt32.self).littleEndian == Verb.packedSend {
      self = .send
      return
    }
    let packed = Verb.pack(word)
    guard packed != 0, let verb = Verb.byPackedName[packed] else { return nil }
    self = verb
  }

  /// The entry of the verb table.
  package var entry: VerbEntry { VerbEntry.table[Int(rawValue)] }

  package var name: String { "\(self)" }

  private static let packedSend: UInt32 = 0x646E_6573  // "send", first byte lowest
  private static let byPackedName = Dictionary(
    uniqueKeysWithValues: allCases.map { verb in
      (Array(verb.name.utf8).withUnsafeBytes { pack($0) }, verb)
    })

  /// The bytes of a short word as a number; 0 if it is empty or too long for any verb.
  @inline(__always)
  private static func pack(_ word: UnsafeRawBufferPointer) -> UInt128 {
    guard word.count <= 16 else { return 0 }
    var packed: UInt128 = 0
    for place in 0..<word.count { packed |= UInt128(word[place]) &<< UInt128(8 &* place) }
    return packed
  }
}

/// One row of the verb table: what the dispatcher checks, `help` prints and the REPL completes.
package struct VerbEntry: Sendable {
  package let verb: Verb
  /// What follows the verb, for people; one for each form.
  package let forms: [String]
  package let summary: String
  /// What each form does; the summary where it says nothing of its own.
  package let texts: [String]
  package let example: String
  /// Whether it may stand between `begin` and `end`.
  package let inBatch: Bool
  /// Whether it is an input like `send`: `quiet on` withholds its `+`, and a client may number it.
  package let isPlainInput: Bool
  /// The forms, taken apart.
  package let parsedForms: [UsageForm]
  /// How many plain words may follow.
  package let plainWords: ClosedRange<Int>
  package let keys: Keys

  /// Which `key=value` words may follow.
  package enum Keys: Equatable, Sendable {
    case only([String])
    /// The arguments of an event or the parameters of a kind: checked where they are known.
    case ofCatalogue
  }

  /// - Parameter forms: Each may have a sentence of its own, after ` : `.
  init(
    _ verb: Verb, _ forms: String..., does summary: String, example: String, inBatch: Bool = true,
    isPlainInput: Bool = false
  ) {
    self.verb = verb
    let parts = forms.map { $0.cut(at: " : ") ?? ($0[...], summary[...]) }
    let forms = parts.map { String($0.before) }
    self.forms = forms
    self.summary = summary
    texts = parts.map { String($0.after) }
    self.example = example
    self.inBatch = inBatch
    self.isPlainInput = isPlainInput
    parsedForms = forms.map { UsageForm($0.split(separator: " ").map(String.init)) }
    let counts = parsedForms.map(\.count)
    plainWords = (counts.map(\.lowerBound).min() ?? 0)...(counts.map(\.upperBound).max() ?? 0)
    // Two forms may have the same key.
    var seen: Set<String> = []
    let names = parsedForms.flatMap(\.keys).map(\.name).filter { seen.insert($0).inserted }
    keys = parsedForms.contains(where: \.isOpen) ? .ofCatalogue : .only(names)
  }

  /// Each form with the verb before it.
  package var usages: [String] { forms.map { $0.isEmpty ? verb.name : "\(verb.name) \($0)" } }

  /// Each form with what it does.
  package var lines: [(usage: String, text: String)] { Array(zip(usages, texts)) }

  /// The verb table, in the order of ``Verb``.
  package static let table = Verb.allCases.map(VerbEntry.init(of:))

  private init(of verb: Verb) {
    self =
      switch verb {
      case .help:
        VerbEntry(verb, "[VERB]", does: "the verbs, or one with an example", example: "help advance")
      case .kinds:
        VerbEntry(
          verb, "[WORD] [form=FORM] [group=GROUP]",
          does: "the catalogue of machine kinds; with a word, a form or a group, those that fit",
          example: "kinds fridge group=devices")
      case .describe:
        VerbEntry(
          verb, "KIND|NAME [width=N]",
          does: "states, events, timers, outputs, readings and parameters of a kind or a machine",
          example: "describe fridge")
      case .define:
        VerbEntry(
          verb, "KIND [resource=PATH] format=scxml|mermaid|plantuml|xstate bytes=N [strict=yes]",
          does: "a kind from a document, whose bytes follow this line; or a file that the document refers to",
          example: "define lamp format=scxml bytes=412", inBatch: false)
      case .undefine:
        VerbEntry(verb, "KIND", does: "forgets a defined kind that no machine has", example: "undefine lamp")
      case .new:
        VerbEntry(
          verb, "KIND NAME [param=value…]", does: "makes a machine; of a composed kind, its members and wires",
          example: "new fridge f start=4", isPlainInput: true)
      case .drop:
        VerbEntry(
          verb, "NAME", does: "removes a machine with its wires; of a composed name, its members", example: "drop f",
          isPlainInput: true)
      case .list:
        VerbEntry(
          verb, "[PATTERN] [kind=KIND] [state=STATE] [limit=N]", does: "machines, by name", example: "list m* state=on")
      case .count:
        VerbEntry(
          verb, "[PATTERN] [kind=KIND]", does: "machines per kind and state, states without data", example: "count")
      case .show:
        VerbEntry(verb, "NAME", does: "state, readings, running timers, allowed events", example: "show f")
      case .can:
        VerbEntry(
          verb, "NAME [EVENT]", does: "which events are not refused now, or whether one is not", example: "can key tap")
      case .send:
        VerbEntry(
          verb, "NAME EVENT [argument…]", does: "one event to one machine", example: "send key character a",
          isPlainInput: true)
      case .cast:
        VerbEntry(
          verb, "PATTERN EVENT [argument…]", does: "one event to all machines that match, in name order",
          example: "cast fridge-* doorOpened", isPlainInput: true)
      case .wire:
        VerbEntry(
          verb, "FROM OUTPUT TO EVENT", does: "an output of one machine becomes an event of another",
          example: "wire f compressorOn lamp buttonClick", isPlainInput: true)
      case .unwire:
        VerbEntry(
          verb, "FROM OUTPUT TO EVENT", does: "takes a wire away", example: "unwire f compressorOn lamp buttonClick",
          isPlainInput: true)
      case .wires:
        VerbEntry(verb, "", does: "all wires", example: "wires")
      case .watch:
        VerbEntry(
          verb, "PATTERN [what=moves|all] [since=SEQ]", does: "notices from now on, or from an input on",
          example: "watch * what=moves")
      case .unwatch:
        VerbEntry(verb, "PATTERN", does: "ends a watch of this connection", example: "unwatch *")
      case .point:
        VerbEntry(
          verb, "NAME STATE", "say=TEXT [predict=yes|no]",
          does: "shows those who watch a state, or a text about the world, as a teacher does; the live page has it",
          example: "point key on", inBatch: false)
      case .journal:
        VerbEntry(
          verb, "[PATTERN] [since=SEQ] [at=TIME|yes] [limit=N] [what=moves|all]",
          does: "what happened, oldest first; 'at' is the host's time, as 14:00",
          example: "journal key since=3")
      case .wave:
        VerbEntry(
          verb,
          "[PATTERN] [from=TIME] [to=TIME] [last=DURATION] [width=N] [mark=TEXT] [format=text|ascii|svg|vcd|json]",
          does: "what machines did, drawn over time: states, inputs, timers, readings",
          example: "wave key last=10s")
      case .script:
        VerbEntry(
          verb, "", does: "this world as a script that makes it again, for 'fsmrepl run'", example: "script")
      case .graph:
        VerbEntry(
          verb,
          "KIND|NAME [format=table|dot|mermaid|stateDiagram|plantuml|svg|json|tests|scxml] [show=plain|usual|all|parts|members] [width=N] [direction=down|right] [present=yes|no]",
          does: "a diagram of a kind, or of a machine with its state marked, found by running the rule",
          example: "graph shiftKey format=mermaid")
      case .coverage:
        VerbEntry(
          verb, "[PATTERN] [kind=KIND] [list=all]",
          does: "how much of what its machines can do this world has seen, and what it has not",
          example: "coverage kind=shiftKey")
      case .clock:
        VerbEntry(
          verb, "", "real : time passes by itself", "virtual : time stands still until it is moved",
          does: "shows the clock of this world", example: "clock virtual",
          inBatch: false)
      case .speed:
        VerbEntry(verb, "X", does: "how fast a real clock runs", example: "speed 60", inBatch: false)
      case .pause:
        VerbEntry(verb, "", does: "stops a real clock", example: "pause", inBatch: false)
      case .resume:
        VerbEntry(verb, "", does: "lets a real clock go on", example: "resume", inBatch: false)
      case .advance:
        VerbEntry(
          verb, "DURATION", "until TIME : the same, up to a time",
          does: "moves a virtual or paused clock; each timer fires at its own time",
          example: "advance 1.5s", inBatch: false)
      case .step:
        VerbEntry(verb, "[N]", does: "fires exactly the next N timers", example: "step 3", inBatch: false)
      case .agenda:
        VerbEntry(verb, "[PATTERN] [limit=N]", does: "running timers in due order", example: "agenda limit=5")
      case .fire:
        VerbEntry(
          verb, "NAME TIMER", does: "lets a running timer expire now", example: "fire key doubleTap",
          isPlainInput: true)
      case .await:
        VerbEntry(
          verb, "NAME STATE [within=DURATION]", does: "waits until a machine is in a state",
          example: "await f waiting within=1h", inBatch: false)
      case .cancel:
        VerbEntry(
          verb, "", "N : ends an activity by its number", does: "ends what this connection has under way",
          example: "cancel", inBatch: false)
      case .expect:
        VerbEntry(verb, "NAME STATE", does: "fails unless a machine is in a state", example: "expect key capsLock")
      case .undo:
        VerbEntry(
          verb, "[N]", does: "takes back the last N requests that brought inputs, and the time with them",
          example: "undo 2", inBatch: false)
      case .redo:
        VerbEntry(
          verb, "[N]", does: "takes back the last N of undo and goto, if nothing else has happened since",
          example: "redo",
          inBatch: false)
      case .goto:
        VerbEntry(
          verb, "TIME", "seq=N : back to right after an input and its deliveries",
          does: "back to a time; what happened later is undone",
          example: "goto 1.5s",
          inBatch: false)
      case .world:
        VerbEntry(
          verb, "", "new W [clock=virtual|real] [seed=N] [durable=no|yes] : makes one",
          "fork W [seq=N] [durable=no|yes] : copies this one, as it is or was after an input", "drop W : removes one",
          "move W HOST : gives one to another daemon on the same database",
          "share W [read|write] : lets other users in", "unshare W : lets them in no more", does: "the present world",
          example: "world new lesson clock=virtual",
          inBatch: false)
      case .use:
        VerbEntry(verb, "W", does: "goes to another world", example: "use lesson", inBatch: false)
      case .worlds:
        VerbEntry(verb, "", does: "all worlds", example: "worlds", inBatch: false)
      case .diff:
        VerbEntry(
          verb, "W1 W2", does: "what is different in two worlds", example: "diff main trial",
          inBatch: false)
      case .who:
        VerbEntry(
          verb, "", does: "who is connected: your own sessions, and the names of other users", example: "who",
          inBatch: false)
      case .begin:
        VerbEntry(
          verb, "[strict]",
          does: "keeps the lines up to 'end', to run them at one moment; 'strict' checks each when it comes",
          example: "begin strict", inBatch: false)
      case .end:
        VerbEntry(verb, "", does: "runs the lines since 'begin'", example: "end", inBatch: false)
      case .discard:
        VerbEntry(verb, "", does: "forgets the lines since 'begin'", example: "discard", inBatch: false)
      case .client:
        VerbEntry(
          verb, "NAME",
          does:
            "the name under which 'id=N' on 'send', 'cast', 'fire', 'new', 'drop', 'wire' or 'unwire' numbers a request; a repeated one is answered again and not run again",
          example: "client plant7", inBatch: false)
      case .quiet:
        VerbEntry(
          verb, "on|off", does: "withholds the + of new, drop, send, cast, fire, wire, unwire", example: "quiet on",
          inBatch: false)
      case .mode:
        VerbEntry(
          verb, "text|json", does: "how the daemon's lines to this connection are written", example: "mode text",
          inBatch: false)
      case .limits:
        VerbEntry(verb, "", does: "every limit with its value", example: "limits")
      case .stats:
        VerbEntry(verb, "", does: "counters of the daemon and of this world", example: "stats")
      case .activities:
        VerbEntry(
          verb, "", does: "what takes its time: by whom, where, and since when", example: "activities",
          inBatch: false)
      case .sync:
        VerbEntry(
          verb, "", does: "answers when all that earlier requests caused has been written", example: "sync",
          inBatch: false
        )
      case .quit:
        VerbEntry(verb, "", does: "closes this connection", example: "quit", inBatch: false)
      case .shutdown:
        VerbEntry(verb, "", does: "stops the daemon cleanly", example: "shutdown", inBatch: false)
      }
  }
}
