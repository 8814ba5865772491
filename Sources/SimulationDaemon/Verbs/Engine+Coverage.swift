import LineProtocol
import Simulator
import StateMachines

extension Engine {
  /// `coverage [PATTERN] [kind=KIND]`. Of a composed kind, all machines of its members' kinds count.
  func coverage(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    var wanted: [String]?
    if let name = words["kind"] {
      guard let entry = kind(name, words, &session) else { return }
      wanted =
        switch entry {
        case .machine(let kind): [kind.name]
        case .composition(let composition): composition.members.map(\.kind.name)
        }
    }
    guard let pattern = pattern(words[0], words, &session) else { return }
    let survey = CoverageSurvey(of: realm.world, pattern) { wanted?.contains($0.name) ?? true }
    session.activity = .reply(.coverage(CoverageReply(survey, graphs)), tag: words.tagBytes)
  }
}
