import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct CatalogueTests {
  static let kinds: [Kind] = Catalogue.simulations.entries.compactMap { entry in
    switch entry {
    case .machine(let kind): kind
    case .composition: nil
    }
  }

  @Test("the kinds in their order")
  func order() {
    let order = [
      "fridge", "doorFridge", "openFridge", "smartFridge", "chiller", "power", "boldText", "job", "shiftKey",
      "checkins", "checkinsWithLogin", "checkinsService", "auth", "checkinInteractor", "checkinView", "checkinApp",
      "naiveCheckins", "comments", "flagScreen", "employees", "character", "enemy", "encounter", "game", "spamFilter",
      "regex", "http", "smtp", "pop3", "imap", "supervisor",
      "proxy",
      "networkClient", "database", "payment", "operation", "listDetailCoordinator", "appCoordinator", "background",
      "callTracker", "phone", "phoneCall", "counter", "mviTrace", "resume", "pagination", "resumeServer", "resumeApp",
      "acceptor", "automaton", "inbox", "freeform", "stepper", "keyboard",
    ]
    expectEqual(Catalogue.simulations.entries.map(\.name), order)
  }

  @Test("everything is described, in one line without a full stop")
  func described() {
    for entry in Catalogue.simulations.entries { check(entry.about, of: entry.name) }
    for kind in Self.kinds {
      for (what, about) in kind.states.map({ ($0.word, $0.about) }) + kind.events.map({ ($0.name, $0.about) })
        + kind.timers.map({ ($0.name, $0.about) }) + kind.outputs.map({ ($0.name, $0.about) })
        + kind.readings.map({ ($0.name, $0.about) }) + kind.parameters.map({ ($0.name, $0.about) })
      {
        check(about, of: "\(kind.name) \(what)")
      }
    }
  }

  private func check(_ about: String, of what: String) {
    expect(!about.isEmpty && !about.contains("\n") && about.last != ".", "\(what): \(about)")
  }

  /// The names of protocols and their commands, which keep the protocol's spelling.
  private static let commands: Set = [
    "HELO", "EHLO", "MAIL", "RCPT", "AUTH", "RSET", "NOOP", "QUIT", "USER", "PASS", "LOGIN", "LOGOUT",
    "pop3",
  ]

  @Test("each event can be sent, or is brought by a timer", arguments: kinds.map(\.name))
  func events(name: String) throws {
    let kind = try #require(Self.kinds.first { $0.name == name })
    expect(kind.listsAllEvents, "an event of \(name) can neither be sent nor is it brought by a timer")
  }

  @Test("a kind that a program no longer has is described by what was stored of it", arguments: kinds.map(\.name))
  func remembered(name: String) throws {
    let kind = try #require(Self.kinds.first { $0.name == name })
    let stored = try KindSchema(kind.schema.bytes)
    expectEqual(stored.bytes, kind.schema.bytes)
    let remembered = Kind(remembering: stored)
    expectEqual(remembered.states.map(\.word), kind.states.map(\.word))
    expectEqual(remembered.events.map(\.name), kind.events.map(\.name))
    expectEqual(remembered.outputs.map(\.name), kind.outputs.map(\.name))
    expectEqual(remembered.outputs.map(\.isTold), kind.outputs.map(\.isTold))
  }

  @Test("each name of a state or an output is the case that its number says", arguments: kinds.map(\.name))
  func numbers(name: String) throws {
    func check<Name: NamedCases>(_ type: Name.Type) {
      expectEqual(Name.words.count, Name.count, "\(name)")
      for (place, one) in Name.allCases.enumerated() {
        expect(one.index == place && Name(at: place) == one, "\(name): \(one)")
        expectEqual(one.word, Name.words[place], "\(name): \(one)")
      }
    }
    func check<M: _Machine>(names machine: M.Type) {
      check(M.State.Name.self)
      check(M.Output.Name.self)
    }
    let kind = try #require(Self.kinds.first { $0.name == name })
    let machine = kind.machine as? any _Machine.Type
    if let machine { check(names: machine) }
    expect(machine != nil)
  }

  @Test("names are in lowerCamelCase and unique among their like")
  func names() {
    for kind in Self.kinds {
      let groups = [
        kind.events.map(\.name), kind.timers.map(\.name), kind.outputs.map(\.name), kind.readings.map(\.name),
        kind.parameters.map(\.name), kind.events.flatMap { $0.arguments.map(\.name) },
      ]
      for names in groups {
        for name in names where !Self.commands.contains(name) {
          expect(name.first?.isLowercase == true && name.allSatisfy { $0.isASCII && $0.isLetter }, "\(name)")
        }
      }
      for names in groups.dropLast() + [kind.states.map(\.word)] {
        expectEqual(Set(names).count, names.count, "\(kind.name): \(names)")
      }
    }
  }

  @Test("defaults are within their ranges, and a timer's duration is a parameter that is one")
  func parameters() {
    for kind in Self.kinds {
      for parameter in kind.parameters {
        expect(parameter.type.admits(parameter.example), "\(kind.name) \(parameter.name)")
      }
      for timer in kind.timers {
        guard let name = timer.parameter else { continue }
        let type = kind.parameters.first { $0.name == name }?.type
        guard case .interval = type else {
          Issue.record("\(kind.name): \(timer.name) lasts \(name), which is \(String(describing: type))")
          continue
        }
      }
    }
  }

  @Test("each state of `initial=` is the one that it starts in")
  func initial() {
    for kind in Self.kinds {
      for word in kind.initialStates {
        let state = Bench(kind, initial: word).word()
        expect(state == word || state.hasPrefix("\(word)+"), "\(kind.name) initial=\(word) starts in \(state)")
      }
    }
  }

  @Test("what a wire brings is what its event takes")
  func wires() {
    for entry in Catalogue.simulations.entries {
      guard case .composition(let composition) = entry else { continue }
      for wire in composition.wires {
        let output = composition.members[wire.from].kind.outputs[wire.output]
        let event = composition.members[wire.to].kind.events[wire.event]
        let carried = event.arguments.prefix(output.data.count)
        for (datum, argument) in zip(output.data, carried) {
          expect(
            datum.samples.allSatisfy { argument.type.admits($0) }, "\(output.name) to \(event.name): \(datum.name)")
        }
        expectEqual(carried.count, output.data.count, "\(output.name) to \(event.name)")
        for argument in event.arguments.dropFirst(output.data.count) {
          expect(argument.type.admits(.none), "\(output.name) to \(event.name): \(argument.name)")
        }
      }
    }
  }
}
