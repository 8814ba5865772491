import TestSupport
import Testing

/// Each rule finds what it is there for, and only that.
@Suite("The rules themselves")
struct HabitRuleTests {
  private func lines(_ rule: (ProjectFile) -> [Finding], _ text: String) -> [Int] {
    rule(ProjectFile(path: "Sources/Sample/Sample.swift", text: text)).map(\.line)
  }

  @Test("sleeps: every spelling, but no mention in a comment or a name")
  func sleeps() {
    for call in [
      "sleep(1)", "usleep (10)", "nanosleep(&t, nil)", "try await Task.sleep(for: .seconds(1))", "Glibc.sleep(1)",
    ] {
      expectEqual(lines(Habits.sleeps, "let a = 1\n\(call)"), [2], "\(call)")
    }
    expectEqual(lines(Habits.sleeps, "Thread.sleep(forTimeInterval: 1)"), [1])
    expectEqual(lines(Habits.sleeps, "queue.asyncAfter(deadline: .now())"), [1])
    expectEqual(lines(Habits.sleeps, "// never sleep(1)\nlet sleepy = \"sleep(1)\"\noversleep(1)"), [])
  }

  @Test("expectations as macros: but those that have no function, in one line or several")
  func macroExpectations() {
    for call in ["#expect(a == b)", "#expect(\n  text(\"throws:\") == c)"] {
      expectEqual(lines(Habits.macroExpectations, "let a = 1\n\(call)"), [2], "\(call)")
    }
    for call in [
      "#expect(throws: Failure.self) { try f() }", "#expect(\n  processExitsWith: .failure\n) { f() }",
      "#expect(a(b) == c,\n  sourceLocation: place)", "expect(a)", "\"#expect(a)\"",
    ] {
      expectEqual(lines(Habits.macroExpectations, call), [], "\(call)")
    }
  }

  @Test("users: their types as words of the code, but no words about them")
  func users() {
    expectEqual(lines(Habits.users, "let a = 1\nlet user: UserID\nfunc f(_ sharing: Sharing?)"), [2, 3])
    expectEqual(lines(Habits.users, "// a User\nlet userMemory = \"User\"\nclient.user.id"), [])
  }

  @Test("young names: the types and the properties, but no function of ours with such a name")
  func youngNames() {
    for use in [
      "var first = InlineArray<8, Int>(repeating: 0)", "_ = try UTF8Span(validating: bytes)",
      "let bytes = text.utf8.span",
      "var places = places.mutableSpan",
    ] {
      expectEqual(lines(Habits.youngNames, "let a = 1\n\(use)"), [2], "\(use)")
    }
    expectEqual(lines(Habits.youngNames, "// an InlineArray\nlet undone = rewinds.span(of: 3)\nlet spanned = 1"), [])
  }

  @Test("leftovers: the words, in code, text and comments, but not inside other words")
  func leftovers() {
    expectEqual(lines(Habits.leftovers, "a\n// TO" + "DO: later"), [2])
    expectEqual(lines(Habits.leftovers, "let x = \"FIX" + "ME\""), [1])
    expectEqual(lines(Habits.leftovers, "fatalError(\"not implemented" + " yet\")"), [1])
    expectEqual(lines(Habits.leftovers, "mktemp fsmd.XXXXXX; TODOS; todo"), [])
  }

  @Test("machine paths: absolute ones, but not a folder of that name inside another")
  func machinePaths() {
    for folder in ["wo" + "rk", "ro" + "ot", "ho" + "me", "o" + "pt", "fa" + "rm"] {
      expectEqual(lines(Habits.machinePaths, "a\nlet path = \"/\(folder)/x\""), [2], "\(folder)")
      expectEqual(lines(Habits.machinePaths, "/\(folder)/x"), [1], "\(folder)")
      expectEqual(
        lines(Habits.machinePaths, "Sources/\(folder)/x, $(HERE)/\(folder)/x, ./\(folder)/x"), [], "\(folder)")
    }
  }

  @Test("catch-alls: a switch's default, but not an argument's label")
  func catchAlls() {
    let text = """
      func f() {
        switch state {
        case .on: g(default: 3, [.a(
          default: 4)])
        default: break
        }
        // default: no
        let words = "default: no \\(h { switch $0 { @unknown default : 1 } })"
      }
      enum E { static let `default`: Int = 1 }
      """
    expectEqual(lines(Habits.catchAlls, text), [5, 8])
  }

  @Test("foreign draws: every function of the standard library, and the protocol that lets a generator take part")
  func foreignDraws() {
    for line in [
      "let a = Int.random(in: 1...6, using: &g)", "T.random (in: r)", "list.randomElement()", "list.shuffle(using: &g)",
      "let b = list.shuffled()", "struct G: RandomNumberGenerator {}", "var g = SystemRandomNumberGenerator()",
    ] {
      expectEqual(lines(Habits.foreignDraws, "let a = 1\n\(line)"), [2], "\(line)")
    }
    let own = "// not .random(in: r)\ngenerator.draw(in: 1...6)\nlet randomElements = 1"
    expectEqual(lines(Habits.foreignDraws, own), [])
  }

  @Test("unexplained: each escape needs a comment beside it or directly above")
  func unexplained() {
    for escape in [
      "struct S: @unchecked Sendable {}", "nonisolated(unsafe) var a = 1", "let b = try! f()", "let c = d as! Int",
      "fatalError(\"no\")", "@preconcurrency import C",
    ] {
      expectEqual(lines(Habits.unexplained, "// Because.\n\nlet a = 1\n\(escape)"), [4], "\(escape)")
      expectEqual(lines(Habits.unexplained, "// Because.\n\(escape)"), [], "\(escape)")
      expectEqual(lines(Habits.unexplained, "/// Because.\n@frozen\n\(escape)"), [], "\(escape)")
      expectEqual(lines(Habits.unexplained, "\(escape)  // Because."), [], "\(escape)")
      expectEqual(lines(Habits.unexplained, "let text = \"\"\"\n\(escape)\n\"\"\""), [], "\(escape)")
    }
    expectEqual(lines(Habits.unexplained, "let d = x as? Int; let e = try? f()"), [])
  }

  @Test("unsafe memory: what is kept, allocated or taken for another type, unless the file has its reason")
  func unsafeMemory() {
    for line in [
      "let base: UnsafeMutableRawPointer",
      "  @usableFromInline package private(set) var b: UnsafeBufferPointer<UInt8>?",
      "private let words: [UnsafeMutablePointer<CChar>?]", "storage = .allocate(capacity: 3)",
      "let name = raw.assumingMemoryBound(to: UInt8.self)", "unsafeBitCast(a, to: B.self)",
    ] {
      expectEqual(lines(Habits.unsafeMemory, "let a = 1\n\(line)"), [2], "\(line)")
      expectEqual(lines(Habits.unsafeMemory, "// Safety: owned by this type alone.\n\(line)"), [], "\(line)")
      expectEqual(lines(Habits.unsafeMemory, "let s = \"Safety:\"\n\(line)"), [2], "\(line)")
    }
    for line in [
      "func read(into buffer: UnsafeMutableRawBufferPointer)", "a.withUnsafeBytes { $0.count } // UnsafeRawPointer",
      "let rest = UnsafeRawBufferPointer(rebasing: all[1...])",
    ] {
      expectEqual(lines(Habits.unsafeMemory, line), [], "\(line)")
    }
  }

  @Test("floating conversions: by what stands in them, or how their names were declared")
  func floatingConversions() {
    for line in [
      "let a = Int(b * 1.5)", "return Int64((x / y).rounded())", "UInt8(Double(a) / 2)", "Int(value.asNumber)",
      "func f(_ a: Double) -> Int {\n Int(max(0, a))", "let a = b.squareRoot()\nlet c = a + b\nInt(1 + c)",
      "case .number(let n): return Int32(n)", "var a = 0.5, b = Int(a.magnitude)",
    ] {
      expect(!lines(Habits.floatingConversions, line).isEmpty, "\(line)")
    }
    for line in [
      "Int(clamping: 1e18)", "Int(exactly: a.asNumber)", "let a = 0.5\nlet a = places[0]\nInt(a)",
      "print(\"Int(0.5)\")",
      "func f(_ a: Double) {}\nfunc g(to a: Int32) -> Int { Int(a) }", "let a = 1.5\nInt(a.places[3]) + Int(b.a)",
    ] {
      expectEqual(lines(Habits.floatingConversions, line), [], "\(line)")
    }
  }

  @Test("an exemption takes its file out, and one that is not needed is a finding")
  func exemptions() {
    let findings = [Finding(path: "A.swift", line: 3, what: "long"), Finding(path: "B.swift", line: 4, what: "long")]
    let left = findings.without([
      Exemption(path: "A.swift", reason: "one table"), Exemption(path: "C.swift", reason: ""),
    ])
    expectEqual(left.map(\.path), ["B.swift", "C.swift"])
  }

  @Test("Swift texts are split into code and comments, line by line")
  func splits() {
    let text = ##"""
      let a = "x // y \" z" // note "one"
      /* b /* c */ d */ let e = #"\(f) \#(g("h")) " i"#
      let j = """
        k " \(l("m") + n) // o
        """ + p
      let q = "open
      let r = "s\\" + t
      """##
    let swift = SwiftText(text)
    expectEqual(swift.lines.joined(separator: "\n"), text)
    expectEqual(swift.code.count, swift.lines.count)
    expectEqual(swift.comments.count, swift.lines.count)
    func words(_ line: String) -> [String] { line.matches(of: #/[a-z]+/#).map { String($0.output) } }
    expectEqual(
      swift.code.map(words),
      [
        ["let", "a"], ["let", "e", "g"], ["let", "j"], ["l", "n"], ["p"], ["let", "q"], ["let", "r", "t"],
      ])
    expectEqual(swift.comments.map(words), [["note", "one"], ["b", "c", "d"], [], [], [], [], []])
  }
}
