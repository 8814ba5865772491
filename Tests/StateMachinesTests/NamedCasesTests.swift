import StateMachines
import Testing

struct NamedCasesTests {
  private enum Door: NamedCases { case closed, open, ajar }

  @Test("the words of an enum are its cases, numbered in their order")
  func words() {
    #expect(Door.words == ["closed", "open", "ajar"])
    for (place, door) in Door.allCases.enumerated() {
      #expect(door.index == place)
      #expect(Door(at: place) == door)
      #expect(door.word == Door.words[place])
    }
  }

  @Test("what there is none of has no words")
  func none() {
    #expect(NoNames.words.isEmpty)
  }

  @Test("a place without a name is a defect")
  func outside() async {
    await #expect(processExitsWith: .failure) { _ = NamedCasesTests.Door(at: 3) }
    await #expect(processExitsWith: .failure) { _ = NoNames(at: 0) }
  }
}
