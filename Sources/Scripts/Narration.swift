extension Script {
  /// What a script says to people at a place, besides its requests. `run` passes over it; a lesson is made of it.
  package struct Narration: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
      /// A line of Markdown; empty between two paragraphs.
      case say(String)
      /// The steps of the next line wait for the learner's answer.
      case ask(Question)
      case picture(Picture)
      /// Waits for a key.
      case pause
      case attempt(Attempt)
      /// A remark on a line of its own in the script's own file.
      case remark(String)
    }

    /// Index of its file in ``Script/sources``, and its line there, from 1.
    package let source: Int32
    package let line: Int32
    /// The index of the step that comes next.
    package let step: Int
    package internal(set) var content: Content

    package init(source: Int32, line: Int32, step: Int, content: Content) {
      self.source = source
      self.line = line
      self.step = step
      self.content = content
    }
  }

  /// What the learner is to foretell.
  package struct Question: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
      /// The state in which a machine will be.
      case state(machine: String)
      /// An event with the outcome that the line states.
      case event(machine: String)
      /// The world time at which the line ends.
      case time
    }

    package internal(set) var subject: Subject
    package let text: String
    /// The steps of the line.
    package internal(set) var steps: Range<Int>
  }

  package enum Picture: Hashable, Sendable {
    case graph(String)
    /// What the machines that match a pattern did.
    case wave(String?)
    case state(String)
    case table(String)
  }

  /// Free play until a condition holds.
  package struct Attempt: Hashable, Sendable {
    /// As written after `try`.
    package let condition: String
    package internal(set) var goal = ""
    package internal(set) var hints: [String] = []
    /// The steps that fulfil the condition.
    package internal(set) var solution: Range<Int>
    /// The steps that check the condition. They follow the solution.
    package internal(set) var checks: Range<Int>
  }

  /// The title of a lesson and for whom it is.
  package struct Heading: Hashable, Sendable {
    package let title: String
    /// 1 for everybody, 2 after the first lessons, 3 for engineers.
    package internal(set) var level: Int
  }
}

extension Script.Picture {
  /// The request whose answer it is.
  ///
  /// - Parameter width: The columns that it may take.
  package func request(width: Int) -> String {
    let width = min(max(width, 40), 1_000)
    return switch self {
    case .graph(let name), .table(let name): "graph \(name) width=\(width)"
    case .wave(let pattern): "wave \(pattern.map { "\($0) " } ?? "")from=0 width=\(width)"
    case .state(let name): "show \(name)"
    }
  }
}
