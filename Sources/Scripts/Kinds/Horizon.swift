import LineProtocol

/// How far it is known which machines there are, where a script is played in a world that is there already.
///
/// They are those of the world and those that the script makes. Behind an `undo` there may be others, which the world had
/// before, and in a world that the script has not made there may be any.
struct Horizon {
  /// How many steps are before it.
  private(set) var known: Int
  /// How many steps are played in the world itself, before it goes back.
  private(set) var ahead: Int

  init(of script: Script, in world: String) {
    known = script.steps.count
    ahead = known
    var here = world
    var worlds: Set = [world]
    var newWorlds: Set<String> = []
    var depth = 0
    for (place, step) in script.steps.enumerated() {
      let verb: Verb
      let isRefused: Bool
      switch step.action {
      case .repeats:
        depth += 1
        continue
      case .again:
        depth -= 1
        continue
      case .request(let found?, let outcome) where found == .use || found == .world || found.goesBack:
        verb = found
        let result = outcome < 0 ? nil : script.outcomePattern(outcome).result
        isRefused = if case .refused? = result { true } else { false }
      case .request, .check: continue
      }
      guard !isRefused else { continue }
      let words = ScriptWords(Array(script.pattern(of: step).utf8))
      let texts = KindCheck.arguments(of: words).map { words.text(words.words[$0]) }
      let name = texts.last ?? ""
      switch (verb, texts.first) {
      case (.world, "new"), (.world, "fork"):
        guard !name.contains(ScriptMachines.number) else { continue }
        worlds.insert(name)
        if texts.first == "new" { newWorlds.insert(name) }
      case (.world, "drop"):
        guard name == here || depth > 0 else { continue }
        // Who is in a world that is dropped comes to this one.
        here = "main"
        ahead = min(ahead, place)
      case (.use, _):
        here = name
        ahead = min(ahead, place)
      case (.undo, _), (.redo, _), (.goto, _):
        ahead = min(ahead, place)
        if depth > 0 || !newWorlds.contains(here) { known = place + 1 }
      case _: continue
      }
      if !worlds.contains(here) { known = place + 1 }
      if known <= place + 1 { return }
    }
  }
}
