internal import Synchronization

/// Maps the cases of an `enum` with data to their names, and their data to values. One table per type, made when the
/// first value's name is read.
@usableFromInline
struct CaseTable {
  /// For each case number (``EnumCase``): the index of its name.
  @usableFromInline let places: UnsafePointer<UInt16>
  /// For each index of a name: the number of its case.
  let numbers: [Int]
  /// For each case number: how to read its data; see ``DataReader/readers(ofCase:of:)``.
  let readers: [[DataReader]?]

  private init<E, Name: NamedCases>(_ type: E.Type, _ names: Name.Type) {
    guard let cases = EnumCase.names(of: type), let words = EnumCase.names(of: names) else {
      preconditionFailure("\(E.self) and its Name are enums, built with reflection, or have a `name` of their own")
    }
    let places = UnsafeMutablePointer<UInt16>.allocate(capacity: cases.count)
    for (number, word) in cases.enumerated() {
      guard let place = words.firstIndex(of: word) else { preconditionFailure("\(E.self).Name has no case \(word)") }
      places[number] = UInt16(place)
    }
    self.places = UnsafePointer(places)
    readers = cases.indices.map { DataReader.readers(ofCase: $0, of: type) }
    numbers = words.map { word in
      guard let number = cases.firstIndex(of: word) else { preconditionFailure("\(E.self) has no case \(word)") }
      return number
    }
  }

  /// The index of the name of a value's case.
  @inlinable
  @inline(__always)
  static func place<E, Name: NamedCases>(of value: E, among names: Name.Type) -> Int {
    guard let metadata = EnumCase.metadata(of: E.self), let number = EnumCase.number(of: value) else { noEnum(E.self) }
    let places = places(metadata) ?? make(E.self, names).pointee.places
    return Int(places[number])
  }

  /// The value of the case with this name; `nil` if the case has data.
  static func value<E, Name: NamedCases>(_ name: Name, as type: E.Type) -> E? {
    let number = make(type, Name.self).pointee.numbers[name.index]
    return EnumCase.hasData(ofCase: number, of: type) ? nil : EnumCase.value(ofCase: number, of: type)
  }

  /// The data of a value's case, in order.
  @usableFromInline
  static func data<E, Name: NamedCases>(of value: E, named names: Name.Type) -> [Value] {
    let table = make(E.self, names)
    guard let number = EnumCase.number(of: value), let readers = table.pointee.readers[number] else {
      preconditionFailure(
        "the data of \(value) are no values: make their types ValueConvertible, or implement `data` in \(E.self)")
    }
    return DataReader.read(readers, from: value)
  }

  @usableFromInline
  @inline(never)
  static func noEnum(_ type: Any.Type) -> Never {
    preconditionFailure("\(type) is no enum, and so it says itself which `name` a value has")
  }

  // MARK: The tables of a program

  // Safety: a slot is written once, the table before the key, and then only read; nothing is freed.
  private struct Slot: ~Copyable {
    let key = Atomic<UInt>(0)
    let table = Atomic<UInt>(0)
  }

  /// A power of two, far larger than the number of state and output types in a program.
  private static let slotCount = 4096

  // Safety: as for a slot.
  private nonisolated(unsafe) static let slots: UnsafeMutablePointer<Slot> = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    for place in 0..<slotCount { (slots + place).initialize(to: Slot()) }
    return slots
  }()

  private static let isMaking = Mutex(())

  @usableFromInline
  static func places(_ metadata: UnsafeRawPointer) -> UnsafePointer<UInt16>? {
    find(UInt(bitPattern: metadata))?.pointee.places
  }

  private static func find(_ key: UInt) -> UnsafePointer<CaseTable>? {
    var place = first(key)
    while true {
      let found = slots[place].key.load(ordering: .acquiring)
      if found == key { return UnsafePointer(bitPattern: slots[place].table.load(ordering: .relaxed)) }
      if found == 0 { return nil }
      place = (place &+ 1) & (slotCount &- 1)
    }
  }

  private static func first(_ key: UInt) -> Int { Int(truncatingIfNeeded: key &>> 3) & (slotCount &- 1) }

  /// The table of a type, created at first use.
  @usableFromInline
  @inline(never)
  static func make<E, Name: NamedCases>(_ type: E.Type, _ names: Name.Type) -> UnsafePointer<CaseTable> {
    guard let metadata = EnumCase.metadata(of: type) else { noEnum(type) }
    if let table = find(UInt(bitPattern: metadata)) { return table }
    let table = UnsafeMutablePointer<CaseTable>.allocate(capacity: 1)
    table.initialize(to: CaseTable(type, names))
    return add(UInt(bitPattern: table), UInt(bitPattern: metadata))
  }

  /// Adds a table, unless another thread has already added one for the same type.
  private static func add(_ table: UInt, _ key: UInt) -> UnsafePointer<CaseTable> {
    isMaking.withLock { _ in
      var place = first(key)
      var tried = 0
      while slots[place].key.load(ordering: .relaxed) != 0, slots[place].key.load(ordering: .relaxed) != key {
        place = (place + 1) & (slotCount - 1)
        tried += 1
        precondition(tried < slotCount / 2, "too many types of states and outputs")
      }
      if slots[place].key.load(ordering: .relaxed) == 0 {
        slots[place].table.store(table, ordering: .relaxed)
        slots[place].key.store(key, ordering: .releasing)
      }
    }
    guard let found = find(key) else { preconditionFailure("a table that was added is found") }
    return found
  }
}

extension CaseTable {
  /// The indices of names by case number, for a state type that names its states after their cases. `nil` if the type
  /// implements `name` differently, or lacks a sample for a case with data.
  static func places<S: StateWithData>(ofStates type: S.Type) -> UnsafePointer<UInt16>? {
    guard let cases = EnumCase.names(of: type), let words = EnumCase.names(of: S.Name.self), Set(cases) == Set(words)
    else { return nil }
    let samples = S.samples
    for name in S.Name.allCases {
      guard let state = samples.first(where: { $0.name == name }) ?? value(name, as: type), state.name == name,
        place(of: state, among: S.Name.self) == name.index
      else { return nil }
    }
    return make(type, S.Name.self).pointee.places
  }
}

/// Converts one of a case's data to a value.
struct DataReader: Sendable {
  let offset: Int
  let read: @Sendable (UnsafeRawPointer) -> Value

  /// The data of a value as the readers of its case convert them.
  static func read<E>(_ readers: [DataReader], from value: E) -> [Value] {
    if readers.isEmpty { return [] }
    return EnumCase.withData(of: value) { data in readers.map { $0.read(data + $0.offset) } }
  }

  /// One reader for each of the case's data, in order; `nil` if one is neither ``ValueConvertible`` nor a name
  /// (``NamedCases``).
  static func readers<E>(ofCase number: Int, of type: E.Type) -> [DataReader]? {
    guard EnumCase.hasData(ofCase: number, of: type) else { return [] }
    return EnumCase.dataType(ofCase: number, of: type).flatMap { readers(of: $0) }
  }

  /// The readers for a type of data: one, or one for each element of a tuple.
  private static func readers(of type: Any.Type) -> [DataReader]? {
    if let reader = reader(of: type, at: 0) { return [reader] }
    // Safety: a tuple's metadata begin with the kind, the number of elements and the labels, followed by each element's
    // type and offset, one word each.
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: UInt.self) == 0x301 else { return nil }
    let count = (metadata + 8).load(as: Int.self)
    let readers = (0..<count).compactMap { number in
      let element = metadata + 24 + 16 * number
      return reader(
        of: unsafeBitCast(element.load(as: UnsafeRawPointer.self), to: Any.Type.self),
        at: Int((element + 8).load(as: UInt32.self)))
    }
    return readers.count == count ? readers : nil
  }

  private static func reader(of type: Any.Type, at offset: Int) -> DataReader? {
    func opened<T: ValueConvertible>(_ type: T.Type) -> DataReader {
      DataReader(offset: offset) { $0.assumingMemoryBound(to: T.self).pointee.value }
    }
    func opened<T: NamedCases>(_ type: T.Type) -> DataReader {
      DataReader(offset: offset) { .text($0.assumingMemoryBound(to: T.self).pointee.word) }
    }
    if let type = type as? any ValueConvertible.Type { return opened(type) }
    return (type as? any NamedCases.Type).map { opened($0) }
  }
}
