/// Which elements and attributes SCXML has, and where.
enum Grammar {
  static let namespace = "http://www.w3.org/2005/07/scxml"

  struct Rule: Sendable {
    var children: [String]
    var attributes: [String]
    /// Attributes and groups of them of which one must be there.
    var required: [[String]]
    /// Attributes that exclude each other.
    var exclusive: [[String]]
    /// Whether the element may contain texts and elements of any kind.
    var isOpen: Bool

    init(
      _ children: [String] = [], attributes: [String] = [], required: [[String]] = [], exclusive: [[String]] = [],
      isOpen: Bool = false
    ) {
      self.children = children
      self.attributes = attributes
      self.required = required
      self.exclusive = exclusive
      self.isOpen = isOpen
    }
  }

  static let executable = ["raise", "if", "foreach", "log", "assign", "script", "send", "cancel"]

  /// Elements of drafts and of other languages, and what to write instead.
  static let advice: [String: String] = [
    "var": "<data> in the <datamodel>", "validate": "a guard", "event": "<raise> or <send>",
    "anchor": "<history>", "include": "<invoke src=…>", "action": "the actions themselves",
    "choose": "<if>", "when": "<elseif>", "otherwise": "<else>", "while": "<foreach>, or a loop in a <script>",
    "for": "<foreach>", "print": "<log>", "exit": "<onexit>", "entry": "<onentry>", "timer": "<send delay=…>",
    "end": "<final>", "stop": "<final>", "start": "initial= of the state around it",
    "join": "a <transition> of the <parallel> with In() of both states", "fork": "a transition with several targets",
  ]

  /// The same for elements that stand where they cannot: the element around it, and the element.
  static let placeAdvice: [String: String] = [
    "scxml initial": "initial= of <scxml>", "parallel final": "a <state> around it, which is the region",
    "parallel initial": "it into a region: all regions are entered",
    "scxml history": "it into a state, which it belongs to", "scxml onentry": "it into a state",
    "scxml onexit": "it into a state",
  ]

  /// Children that are read in an element that has none of this kind by the Recommendation.
  static let tolerated: [String: String] = ["scxml": "transition"]

  /// Attributes of drafts of SCXML that change nothing here.
  static let drafts: Set<String> = ["scxml exmode", "scxml profile"]

  static let attributeAdvice: [String: String] = [
    "assign name": "location=", "assign value": "expr=", "transition to": "target=", "transition next": "target=",
    "transition guard": "cond=", "data name": "id=", "data value": "expr=", "raise name": "event=",
    "state name": "id=", "final name": "id=", "parallel name": "id=", "log message": "expr=", "log value": "expr=",
    "state final": "<final> instead of <state>", "send name": "event=", "scxml initialstate": "initial=",
    "param value": "expr=",
  ]

  static let rules: [String: Rule] = [
    "scxml": Rule(
      ["state", "parallel", "final", "datamodel", "script", "transition"],
      attributes: ["initial", "name", "version", "datamodel", "binding"]),
    "state": Rule(
      ["onentry", "onexit", "transition", "initial", "state", "parallel", "final", "history", "datamodel", "invoke"],
      attributes: ["id", "initial"]),
    "parallel": Rule(
      ["onentry", "onexit", "transition", "state", "parallel", "history", "datamodel", "invoke"], attributes: ["id"]),
    "transition": Rule(executable, attributes: ["event", "cond", "target", "type"]),
    "initial": Rule(["transition"]),
    "final": Rule(["onentry", "onexit", "donedata"], attributes: ["id"]),
    "history": Rule(["transition"], attributes: ["id", "type"]),
    "onentry": Rule(executable),
    "onexit": Rule(executable),
    "raise": Rule(attributes: ["event"], required: [["event"]]),
    "if": Rule(executable + ["elseif", "else"], attributes: ["cond"], required: [["cond"]]),
    // Empty by the Recommendation; what stands in them all the same is read, so that its mistakes are told.
    "elseif": Rule(executable, attributes: ["cond"], required: [["cond"]], isOpen: true),
    "else": Rule(executable, isOpen: true),
    "foreach": Rule(executable, attributes: ["array", "item", "index"], required: [["array"], ["item"]]),
    "log": Rule(attributes: ["label", "expr"]),
    "datamodel": Rule(["data"]),
    "data": Rule(attributes: ["id", "src", "expr"], required: [["id"]], exclusive: [["src", "expr"]], isOpen: true),
    "assign": Rule(attributes: ["location", "expr"], required: [["location"]], isOpen: true),
    "donedata": Rule(["content", "param"]),
    "content": Rule(attributes: ["expr"], isOpen: true),
    "param": Rule(
      attributes: ["name", "expr", "location"], required: [["name"]], exclusive: [["expr", "location"]]),
    "script": Rule(attributes: ["src"], isOpen: true),
    "send": Rule(
      ["content", "param"],
      attributes: [
        "event", "eventexpr", "target", "targetexpr", "type", "typeexpr", "id", "idlocation", "delay", "delayexpr",
        "namelist",
      ],
      exclusive: [
        ["event", "eventexpr"], ["target", "targetexpr"], ["type", "typeexpr"], ["id", "idlocation"],
        ["delay", "delayexpr"],
      ]),
    "cancel": Rule(
      attributes: ["sendid", "sendidexpr"], required: [["sendid", "sendidexpr"]],
      exclusive: [["sendid", "sendidexpr"]]),
    "invoke": Rule(
      ["param", "finalize", "content"],
      attributes: ["type", "typeexpr", "src", "srcexpr", "id", "idlocation", "namelist", "autoforward"],
      exclusive: [["type", "typeexpr"], ["src", "srcexpr"], ["id", "idlocation"]]),
    "finalize": Rule(executable),
  ]
}
