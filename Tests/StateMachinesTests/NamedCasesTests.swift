import StateMachines
import TestSupport
import Testing

struct NamedCasesTests {
  private enum Door: NamedCases { case closed, open, ajar }
  private enum Only: NamedCases { case one }
  private enum Command: NamedCases {
    case helo, quit
    static let words = ["HELO", "QUIT"]
  }

  @Test("the words of an enum are its cases, numbered in their order")
  func words() {
    expectEqual(Door.words, ["closed", "open", "ajar"])
    for (place, door) in Door.allCases.enumerated() {
      expectEqual(door.index, place)
      expectEqual(Door(at: place), door)
      expectEqual(door.word, Door.words[place])
    }
  }

  @Test("one case alone is a word too; it takes no room")
  func single() {
    expectEqual(Only.words, ["one"])
    expect(Only.one.index == 0 && Only(at: 0) == .one)
  }

  @Test("an enum may have words of its own")
  func ownWords() {
    expectEqual(Command.words, ["HELO", "QUIT"])
    expect(Command.quit.word == "QUIT" && Command(at: 1) == .quit)
  }

  @Test("what there is none of has no words")
  func none() {
    expect(NoNames.words.isEmpty)
  }

  @Test("a place without a name is a defect", .enabled(if: Thorough.isFull))
  func outside() async {
    await #expect(processExitsWith: .failure) { _ = NamedCasesTests.Door(at: 3) }
    await #expect(processExitsWith: .failure) { _ = NoNames(at: 0) }
    await #expect(processExitsWith: .failure) { _ = NamedCasesTests.Only(at: 1) }
  }
}
