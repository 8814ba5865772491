import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Prints the effects of an input, as notices and as lines of `journal`. Only the first byte differs.
struct JournalPrinter: ~Copyable {
  private var time = TimeText.Cache()
  private var number = DecimalCounter()
  /// The input that undid the printed one; 0 if none did or the line does not say so.
  private var undoer: UInt64 = 0
  /// Whether lines tell what the host's clock showed, where it is known.
  var tellsWallTime = false
  /// What it showed at the printed input, in nanoseconds since 1970; nil if its line does not say so.
  private var wall: Int64?

  /// Appends the lines of one entry.
  ///
  /// Notices tell what happens. Lines of `journal` also say which input undid the entry.
  ///
  /// - Returns: The number of lines; 0 if the scope excludes all.
  mutating func print(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ scope: WatchScope, _ lineClass: LineClass,
    tag: UnsafeRawBufferPointer, to buffer: inout ByteBuffer
  ) -> Int {
    undoer = lineClass == .data ? world.undoer(of: entry.sequence) ?? 0 : 0
    wall = tellsWallTime ? world.wallTime(of: entry) : nil
    guard let machine = entry.machine else { return printWorldwide(entry, of: world, scope, lineClass, tag, &buffer) }
    let (name, words) = world.nameAndWords(of: machine)
    if !entry.hasDetails, case .event = entry.input {
      // Nearly all lines take this path.
      if case .moved = entry.verdict {} else if case .moves = scope { return 0 }
      printPlain(entry, name, words, lineClass, tag, &buffer)
      return 1
    }
    var lines = 0
    let input = JournalInput(entry)
    if scope == .all, entry.input == .expiry || (entry.input == .fired && entry.verdict != .refused) {
      begin(entry, of: world, lineClass, tag, &buffer)
      buffer.word(literal: "expired")
      buffer.timer(words.timers.word(at: Int(entry.index)), key: input.key)
      buffer.key("due", seconds: (input.due ?? entry.moment).nanoseconds)
      end(&buffer)
      lines += 1
    }
    if scope == .all || JournalPrinter.isMove(entry) {
      begin(entry, of: world, lineClass, tag, &buffer)
      printOutcome(entry, of: machine, words, input, of: world, &buffer)
      end(&buffer)
      lines += 1
    }
    for effect in input.effects {
      lines += printEffect(effect, entry, machine, words, of: world, scope, lineClass, tag, &buffer)
    }
    return lines
  }

  /// Whether the outcome is printed in the scope `moves`.
  private static func isMove(_ entry: JournalEntry) -> Bool {
    switch entry.input {
    case .created, .dropped, .rewound, .renewed, .defined, .undefined: true
    case .wired, .unwired: false
    case .event, .delivery, .expiry, .fired: entry.verdict == .moved
    }
  }

  /// `* SEQ T NAME`
  @inline(__always)
  private mutating func begin(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ lineClass: LineClass, _ tag: UnsafeRawBufferPointer,
    _ buffer: inout ByteBuffer
  ) {
    buffer.begin(lineClass, tag: tag)
    buffer.append(byte: 0x20)
    number.append(entry.sequence, to: &buffer)
    buffer.append(byte: 0x20)
    time.append(entry.moment.nanoseconds, to: &buffer)
    if let machine = entry.machine {
      world.appendName(of: machine, to: &buffer)
    } else {
      buffer.append(literal: " -")
    }
  }

  /// Ends a line, with ` undone=SEQ` if its input was undone, and with what the host's clock showed.
  @inline(__always)
  private func end(_ buffer: inout ByteBuffer) {
    if undoer != 0 { buffer.key("undone", undoer) }
    if let wall { buffer.key("at", WallClock.text(of: wall)) }
    buffer.endLine()
  }

  /// Prints an input of the whole world.
  private mutating func printWorldwide(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ scope: WatchScope, _ lineClass: LineClass,
    _ tag: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer
  ) -> Int {
    if entry.input == .rewound { return printRewound(entry, of: world, lineClass, tag, &buffer) }
    if entry.input == .defined || entry.input == .undefined {
      return printDefinition(entry, of: world, lineClass, tag, &buffer)
    }
    return scope == .all ? printRenewed(entry, of: world, lineClass, tag, &buffer) : 0
  }

  /// `SEQ T - defined KIND version=V` and `SEQ T - undefined KIND`, in every scope: machines of the kind may follow.
  private mutating func printDefinition(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ lineClass: LineClass, _ tag: UnsafeRawBufferPointer,
    _ buffer: inout ByteBuffer
  ) -> Int {
    let input = JournalInput(entry)
    begin(entry, of: world, lineClass, tag, &buffer)
    if let (document, version) = input.defined {
      buffer.word(literal: "defined")
      buffer.word(document.name)
      buffer.key("version", UInt64(version))
    } else if let name = input.undefined {
      buffer.word(literal: "undefined")
      buffer.word(name)
    }
    end(&buffer)
    return 1
  }

  /// `SEQ T - clock restarted=N`: the number of timers renewed when the daemon started again.
  private mutating func printRenewed(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ lineClass: LineClass, _ tag: UnsafeRawBufferPointer,
    _ buffer: inout ByteBuffer
  ) -> Int {
    begin(entry, of: world, lineClass, tag, &buffer)
    buffer.word(literal: "clock")
    buffer.key("restarted", UInt64(JournalInput(entry).renewed.count))
    end(&buffer)
    return 1
  }

  /// `SEQ T - undone from=A to=B`, or `redone`; without `from` and `to` if only time has changed. Every scope includes it,
  /// since it takes back lines of every scope.
  private mutating func printRewound(
    _ entry: JournalEntry, of world: borrowing WorldCore, _ lineClass: LineClass, _ tag: UnsafeRawBufferPointer,
    _ buffer: inout ByteBuffer
  ) -> Int {
    let rewind = JournalInput(entry)
    begin(entry, of: world, lineClass, tag, &buffer)
    buffer.word(rewind.wordOfRewind)
    if let inputs = rewind.rewound {
      buffer.key("from", inputs.lowerBound)
      buffer.key("to", inputs.upperBound)
    }
    end(&buffer)
    return 1
  }

  /// The line of an event's outcome, without data.
  @inline(__always)
  private mutating func printPlain(
    _ entry: JournalEntry, _ name: UnsafeRawBufferPointer, _ words: KindWords, _ lineClass: LineClass,
    _ tag: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer
  ) {
    let from = words.states.word(at: Int(entry.from))
    let to = words.states.word(at: Int(entry.to))
    let event = words.events.word(at: Int(entry.index))
    let sequence = number.text(of: entry.sequence)
    let moment = time.bytes(of: entry.moment.nanoseconds)
    let isWhole = undoer == 0 && wall == nil
    buffer.begin(lineClass, tag: tag)
    buffer.write(atMost: 128 + name.count + from.count + to.count + event.count) { line in
      line.put(byte: 0x20)
      line.put(padded: sequence)
      line.put(byte: 0x20)
      line.put(padded: moment)
      line.put(byte: 0x20)
      line.put(name)
      line.put(entry.verdict, from: from, to: to)
      line.put(literal: " event=")
      line.put(padded: event)
      if isWhole { line.put(byte: 0x0A) }
    }
    if !isWhole { end(&buffer) }
  }

  private func printOutcome(
    _ entry: JournalEntry, of machine: MachineID, _ words: KindWords, _ input: JournalInput,
    of world: borrowing WorldCore,
    _ buffer: inout ByteBuffer
  ) {
    switch entry.input {
    case .created:
      buffer.word(literal: "created")
      buffer.word(world.kind(of: machine).name)
      buffer.state(words, entry.to, data: input.after)
      return
    case .dropped:
      buffer.word(literal: "dropped")
      return
    case .wired, .unwired:
      if entry.input == .wired { buffer.word(literal: "wired") } else { buffer.word(literal: "unwired") }
      buffer.word(bare: words.outputs.word(at: Int(entry.index)))
      guard let target = input.target else { return }
      world.appendName(of: target.machine, to: &buffer)
      buffer.word(bare: world.words(at: world.kindPlace(of: target.machine)).events.word(at: target.event))
      return
    case .event, .delivery, .expiry, .fired, .rewound, .renewed, .defined, .undefined:
      break
    }
    buffer.word(literal: entry.verdict.word)
    if entry.verdict == .moved { buffer.state(words, entry.from, data: input.before) }
    buffer.state(words, entry.to, data: input.after)
    switch entry.input {
    case .expiry, .fired:
      buffer.append(literal: " timer=")
      buffer.append(words.timers.word(at: Int(entry.index)))
      buffer.append(timerKey: input.key)
    case .delivery:
      guard let source = input.source else { return }
      buffer.append(literal: " wire=")
      world.withName(of: source.machine) { buffer.append($0) }
      buffer.append(byte: UInt8(ascii: "."))
      buffer.append(world.words(at: world.kindPlace(of: source.machine)).outputs.word(at: source.output))
    case .event, .created, .dropped, .wired, .unwired, .rewound, .renewed, .defined, .undefined:
      let kind = world.kind(of: machine)
      if Int(entry.index) == kind.otherEvents?.place {
        buffer.key("event", kind.eventName(Int(entry.index), input.arguments))
      } else {
        buffer.key("event", bare: words.events.word(at: Int(entry.index)))
      }
    }
  }

  private mutating func printEffect(
    _ effect: JournalInput.Effect, _ entry: JournalEntry, _ machine: MachineID, _ words: KindWords,
    of world: borrowing WorldCore,
    _ scope: WatchScope, _ lineClass: LineClass, _ tag: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer
  ) -> Int {
    switch effect {
    case .emitted(let output, let data):
      let isTold = words.isTold(output)
      guard scope == .all || !isTold else { return 0 }
      begin(entry, of: world, lineClass, tag, &buffer)
      if isTold { buffer.word(literal: "told") } else { buffer.word(literal: "output") }
      buffer.word(bare: words.outputs.word(at: output))
      // Data that may be anything may also be left out.
      let isOpen = data.last == Value.none && world.kind(of: machine).outputs[output].data.last?.type == .json
      for value in isOpen ? data.dropLast() : data[...] { ArgumentText.append(value, to: &buffer) }
    case .armed(let timer, let key, let due):
      guard scope == .all else { return 0 }
      begin(entry, of: world, lineClass, tag, &buffer)
      buffer.word(literal: "armed")
      buffer.timer(words.timers.word(at: timer), key: key)
      buffer.key("due", seconds: due.nanoseconds)
    case .disarmed(let timer, let key, let due):
      guard scope == .all else { return 0 }
      begin(entry, of: world, lineClass, tag, &buffer)
      buffer.word(literal: "disarmed")
      buffer.timer(words.timers.word(at: timer), key: key)
      buffer.key("due", seconds: due.nanoseconds)
    }
    end(&buffer)
    return 1
  }
}

extension WorldCore {
  /// Appends a machine's name as a word.
  @inline(__always)
  func appendName(of machine: MachineID, to buffer: inout ByteBuffer) {
    withName(of: machine) { buffer.word(bare: $0) }
  }
}

extension ByteBuffer {
  /// A timer as one word: its name, with its key in parentheses if it has one.
  mutating func timer(_ word: UnsafeRawBufferPointer, key: UInt32) {
    self.word(bare: word)
    append(timerKey: key)
  }

  /// `(2)` after a timer's name; nothing for a timer without a key.
  mutating func append(timerKey key: UInt32) {
    if key != 0 { append(text: "(\(key))") }
  }

  /// A state as one word, as ``Kind/stateWord(_:data:)`` has it, quoted if needed.
  @inline(__always)
  mutating func state(_ words: KindWords, _ place: UInt16, data: String?) {
    let word = words.states.word(at: Int(place))
    guard let data else { return self.word(bare: word) }
    self.word(words.hasStatesNamedByData ? data : "\(String(decoding: word, as: UTF8.self))(\(data))")
  }
}

extension Verdict {
  /// The verdict as replies and notices print it.
  var word: StaticString {
    switch self {
    case .moved: "moved"
    case .stayed: "stayed"
    case .ignored: "ignored"
    case .refused: "refused"
    }
  }
}
