/// The completion of a program's command line in a shell: a script made of its option tables.
package struct ShellCompletion: Sendable {
  package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// - Throws: A ``UsageFailure`` if the value of `--completion` names none.
    package init(option value: String) throws(UsageFailure) {
      guard let known = Self(rawValue: value) else {
        throw .wrong("--completion is for bash, zsh or fish, not '\(value)'")
      }
      self = known
    }
  }

  /// What may follow a first operand that names it.
  package struct Command: Sendable {
    let name: String
    let options: [Option]
    let takesFiles: Bool
    let words: [String]

    /// - Parameters:
    ///   - name: Empty for the command line without a command.
    ///   - takesFiles: Whether operands, after its name, are files.
    ///   - words: What its first operand can be, if that is a list.
    package init(_ name: String, _ options: [Option], takesFiles: Bool, words: [String] = []) {
      self.name = name
      self.options = options
      self.takesFiles = takesFiles
      self.words = words
    }
  }

  /// An option; `OptionTable` makes them.
  package struct Option: Sendable {
    let short: Character?
    let long: String
    /// In one line.
    let summary: String
    let value: Value

    /// Its spellings: `-s`, `--socket`.
    var words: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }
  }

  struct Value: Sendable {
    enum Words: Sendable {
      case files, folders
      case choice([String])
      /// Nothing that could be offered.
      case free
    }

    let words: Words
    /// As in the usage text; nil without a value.
    let name: String?
    /// Whether it stands in the same word or not at all.
    let isOptional: Bool
  }

  private let program: String
  private let commands: [Command]
  private var names: [String] { commands.map(\.name).filter { !$0.isEmpty } }

  /// - Parameter commands: The one without a name last.
  package init(program: String, commands: [Command]) {
    self.program = program
    self.commands = commands
  }

  /// A script for a shell, which `PROGRAM --completion SHELL` prints.
  package func script(for shell: Shell) -> String {
    let title =
      "# The completion of \(program) for \(shell.rawValue), made by '\(program) --completion \(shell.rawValue)'.\n"
    return switch shell {
    case .bash: title + bash
    case .zsh: "#compdef \(program)\n" + title + zsh
    case .fish: title + fish
    }
  }

  // MARK: bash

  private var bash: String {
    var values = ""
    for command in commands {
      for option in command.options where option.value.name != nil && !option.value.isOptional {
        let pattern = option.words.map { "\(command.name):\($0)" }.joined(separator: " | ")
        let offer =
          switch option.value.words {
          case .files: "return"
          case .folders: "compopt -o dirnames +o default; return"
          case .choice(let words): "words=\(Self.quoted(words.joined(separator: " ")))"
          case .free: "compopt +o default; return"
          }
        values += "    \(pattern)) \(offer) ;;\n"
      }
    }
    let options = commands.map { command in
      let words = command.options.flatMap { $0.words.filter { $0.count > 2 } }
      let files = command.takesFiles ? "" : " [[ $word == -* ]] || compopt +o default"
      return "      \(command.name.isEmpty ? "*" : command.name)) words='\(words.joined(separator: " "))';\(files) ;;\n"
    }
    let operands = commands.filter { !$0.words.isEmpty }.map { command in
      "        \(command.name):1) words='\(command.words.joined(separator: " "))' ;;\n"
    }
    return """
      _\(program)() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= words= place operand=0
        COMPREPLY=()
        # Bash takes '=' for a word of its own.
        if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
        for ((place = 1; place < COMP_CWORD; place++)); do
          case ${COMP_WORDS[place]} in \(names.joined(separator: " | "))) command=${COMP_WORDS[place]}; break ;; esac
        done
        # The number of the operand; options before it do not count.
        for ((place++; place <= COMP_CWORD; place++)); do
          [[ $place -lt $COMP_CWORD && ${COMP_WORDS[place]} == -* ]] || operand=$((operand + 1))
        done
        case $command:$before in
      \(values)  esac
        if [[ -z $words ]]; then
          case $command in
      \(options.joined())    esac
          if [[ $word != -* ]]; then
            words=
            case $command:$operand in
              :*) words='\(names.joined(separator: " "))' ;;
      \(operands.joined())      esac
          fi
        fi
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      }
      complete -o default -F _\(program) \(program)

      """
  }

  // MARK: zsh

  private var zsh: String {
    let cases = commands.map { command in
      let options = command.options.flatMap { option in
        option.words.map { "        \(Self.quoted("*\($0)\(Self.zsh(option, isLong: $0.hasPrefix("--")))"))\n" }
      }
      var operands: [String] = []
      if command.name.isEmpty { operands.append("commands:command:(\(names.joined(separator: " ")))") }
      if command.takesFiles { operands.append("files:file:_files") }
      var rest =
        operands.isEmpty
        ? "" : "        \(Self.quoted("*: : _alternative \(operands.map(Self.quoted).joined(separator: " "))"))\n"
      // The first operand is the command itself.
      if !command.words.isEmpty {
        rest = "        \(Self.quoted("2: :(\(command.words.joined(separator: " ")))"))\n\(rest)"
      }
      return "    \(command.name.isEmpty ? "*" : command.name)) arguments=(\n\(options.joined())\(rest)      ) ;;\n"
    }
    return """
      _\(program)() {
        local command word
        local -a arguments
        for word in ${words[2,CURRENT-1]}; do
          case $word in \(names.joined(separator: " | "))) command=$word; break ;; esac
        done
        case $command in
      \(cases.joined())  esac
        _arguments -s $arguments
      }
      _\(program) "$@"

      """
  }

  /// What stands after an option in a specification of `_arguments`.
  private static func zsh(_ option: Option, isLong: Bool) -> String {
    func plain(_ text: String, _ marks: Set<Character>) -> String {
      text.reduce(into: "") { $0 += (marks.contains($1) ? "\\" : "") + "\($1)" }
    }
    let summary = "[\(plain(option.summary, ["[", "]", "\\"]))]"
    guard let name = option.value.name else { return summary }
    let action =
      switch option.value.words {
      case .files: "_files"
      case .folders: "_files -/"
      case .choice(let words): "(\(words.joined(separator: " ")))"
      case .free: " "
      }
    let joint = option.value.isOptional ? (isLong ? "=-" : "-") : isLong ? "=" : "+"
    return "\(joint)\(summary)\(option.value.isOptional ? "::" : ":")\(plain(name, [":", "\\"])):\(action)"
  }

  // MARK: fish

  private var fish: String {
    let isNone = "not __fish_seen_subcommand_from \(names.joined(separator: " "))"
    var text = "complete -c \(program) -n '\(isNone)' -a '\(names.joined(separator: " "))'\n"
    for command in commands {
      let condition = command.name.isEmpty ? isNone : "__fish_seen_subcommand_from \(command.name)"
      let start = "complete -c \(program) -n '\(condition)'"
      if !command.takesFiles { text += "\(start) -f\n" }
      if !command.words.isEmpty {
        let words = command.words.joined(separator: " ")
        text +=
          "complete -c \(program) -n '\(condition); and not __fish_seen_subcommand_from \(words)' -f -a '\(words)'\n"
      }
      for option in command.options {
        var line = start + (option.short.map { " -s \($0)" } ?? "") + " -l \(option.long)"
        if option.value.name != nil, !option.value.isOptional {
          switch option.value.words {
          case .files: line += " -r -F"
          case .folders: line += " -x -a '(__fish_complete_directories)'"
          case .choice(let words): line += " -x -a \(Self.quoted(words.joined(separator: " ")))"
          case .free: line += " -x"
          }
        }
        text += "\(line) -d '\(option.summary.reduce(into: "") { $0 += ("'\\".contains($1) ? "\\" : "") + "\($1)" })'\n"
      }
    }
    return text
  }

  /// One word of bash and zsh.
  private static func quoted(_ text: String) -> String {
    "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }
}
