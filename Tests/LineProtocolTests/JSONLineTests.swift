import TestSupport
import Foundation
import StateMachines
import Testing

@testable import LineProtocol

@Suite("Lines as JSON objects")
struct JSONLineTests {
  @Test(
    "each class has its members, and every part of a line its place",
    arguments: [
      ("+", .sync, #"{"class":"success"}"#),
      ("+ 4", .list, #"{"class":"success","lines":4}"#),
      ("+ fsmd protocol=1", .send, #"{"class":"success","what":"fsmd","protocol":"1"}"#),
      (
        "+ @7 moved off on t=0.200 seq=3 outputs=a,b", .send,
        #"{"class":"success","tag":"7","what":"moved","from":"off","to":"on","t":0.200,"seq":3,"outputs":["a","b"]}"#
      ),
      (
        "- @7 REFUSED machine=key state=off event=tap allowed=\"\" t=0.000 seq=3 : the \"key\" is off : really", .send,
        #"{"class":"failure","tag":"7","code":"REFUSED","machine":"key","state":"off","event":"tap","allowed":[],"t":0.000,"seq":3,"text":"the \"key\" is off : really"}"#
      ),
      ("- SYNTAX : a quote", .list, #"{"class":"failure","code":"SYNTAX","text":"a quote"}"#),
      (
        "* 2 0.000 key moved off on event=tap", .send,
        #"{"class":"notice","seq":2,"t":0.000,"name":"key","what":"moved","from":"off","to":"on","event":"tap"}"#
      ),
      ("* 9 1.500 key dropped", .send, #"{"class":"notice","seq":9,"t":1.500,"name":"key","what":"dropped"}"#),
      (
        "* 0 0.000 - clock mode=virtual", .list,
        #"{"class":"notice","seq":0,"t":0.000,"name":"-","what":"clock","mode":"virtual"}"#
      ),
      (
        "* 9 1.500 - undone from=7 to=8", .send,
        #"{"class":"notice","seq":9,"t":1.500,"name":"-","what":"undone","from":7,"to":8}"#
      ),
      (
        ". 8 1.500 key moved off on event=tap undone=9", .journal,
        #"{"class":"data","seq":8,"t":1.500,"name":"key","what":"moved","from":"off","to":"on","event":"tap","undone":9}"#
      ),
      (
        ". 8 1.500 key output text A B", .journal,
        #"{"class":"data","seq":8,"t":1.500,"name":"key","what":"output","output":"text","data":["A","B"]}"#
      ),
      ("+ paused=yes t=1.500 seq=9", .undo, #"{"class":"success","paused":"yes","t":1.500,"seq":9}"#),
      (
        ". reading temperature 4.5 °C", .show,
        #"{"class":"data","what":"reading","name":"temperature","value":4.5,"unit":"°C"}"#
      ),
      (". reading n type=int", .describe, #"{"class":"data","what":"reading","name":"n","type":"int"}"#),
      ("! gap from=3 to=18", .send, #"{"class":"flow","what":"gap","from":3,"to":18}"#),
      ("! bye", .quit, #"{"class":"flow","what":"bye"}"#),
      ("! world dropped=w", .world, #"{"class":"flow","what":"world","dropped":"w"}"#),
      (
        ". @a 2 0.000 key armed doubleTap due=0.350", .journal,
        #"{"class":"data","tag":"a","seq":2,"t":0.000,"name":"key","what":"armed","timer":"doubleTap","due":0.350}"#
      ),
      (
        ". 0.350 key doubleTap left=0.100", .agenda,
        #"{"class":"data","due":0.350,"name":"key","timer":"doubleTap","left":0.100}"#
      ),
      (
        ". event say text=\"text of 0 to 5 bytes\" seq=0..9 : is said", .describe,
        #"{"class":"data","what":"event","name":"say","arguments":{"text":"text of 0 to 5 bytes","seq":"0..9"},"text":"is said"}"#
      ),
      (". say text seq", .can, #"{"class":"data","event":"say","arguments":["text","seq"]}"#),
      (
        ". fridge states=2 events=3 : a fridge", .kinds,
        #"{"class":"data","name":"fridge","states":2,"events":3,"text":"a fridge"}"#
      ),
      (
        ". kind k states=2/3 machines=4", .coverage,
        #"{"class":"data","what":"kind","kind":"k","states":"2/3","machines":4}"#
      ),
      (
        ". untried k switch a b c d e", .coverage,
        #"{"class":"data","what":"untried","kind":"k","sort":"switch","from":"a","first":"b","state":"c","second":"d","to":"e"}"#
      ),
      (". help [VERB] k=v : says", .help, #"{"class":"data","usage":"help [VERB] k=v","text":"says"}"#),
      (#"+ no from=a+b way=x,y"#, .can, #"{"class":"success","what":"no","from":"a+b","way":["x","y"]}"#),
      (
        #"- BAD-ARGUMENT got="a b\\\n\t" allowed="1..9, or nil""#, .new,
        #"{"class":"failure","code":"BAD-ARGUMENT","got":"a b\\\n\t","allowed":["1..9, or nil"]}"#
      ),
      ("+ saved a.svg lines=3", nil, #"{"class":"success","what":"saved","file":"a.svg","lines":"3"}"#),
    ] as [(String, Verb?, String)])
  func objects(line: String, verb: Verb?, object: String) throws {
    expectEqual(JSONWriter.object(of: line, answering: verb), object)
    try expectEqual(#require(ServerLine(json: object)), #require(ServerLine(line)))
  }

  @Test("what is in quotes or not comes to the same, and words are never taken for keys")
  func quotes() {
    expectEqual(
      JSONWriter.object(of: #". "t=1" "" ":" t="1.000""#, answering: .list),
      #"{"class":"data","name":"t=1","kind":"","state":":","t":1.000}"#)
    expectEqual(JSONWriter.object(of: #"+ "@7""#, answering: .expect), #"{"class":"success","state":"@7"}"#)
  }

  @Test("a line that no shape fits is its text")
  func unknown() {
    expectEqual(JSONWriter.object(of: "+ a b c", answering: .list), #"{"class":"data","text":"a b c"}"#)
  }

  @Test(
    "a line that is not to be taken apart is its text, with and without a tag",
    arguments: [
      (". a \"b\"  c=d : e", 0, #"{"class":"data","text":"a \"b\"  c=d : e"}"#),
      (". @startuml", 0, #"{"class":"data","text":"@startuml"}"#),
      (". @x @startuml", 1, #"{"class":"data","tag":"x","text":"@startuml"}"#),
      (". ", 0, #"{"class":"data","text":""}"#), (". @abc ", 3, #"{"class":"data","tag":"abc","text":""}"#),
      (".   \u{1}→\u{1F}", 0, #"{"class":"data","text":"  \u0001→\u001f"}"#),
    ] as [(String, Int, String)])
  func wholes(line: String, tagLength: Int, object: String) throws {
    var writer = JSONWriter()
    var bytes = Array(line.utf8)
    let written = ByteBuffer.text { buffer in
      bytes.withUnsafeMutableBytes { writer.write(whole: $0, tagLength: tagLength, to: &buffer) }
    }
    expectEqual(written, object)
    let read = try #require(ServerLine(json: object))
    expect(read.words.isEmpty && read.fields.isEmpty && read.tag?.utf8.count ?? 0 == tagLength)
    expectEqual(line, ". " + (read.tag.map { "@\($0) " } ?? "") + (read.note ?? "none"))
  }

  @Test("a number is one only where JSON writes it so")
  func numbers() {
    for text in ["0", "7", "10", "0.000", "-1.5", "8640000000.123456789", "18446744073709551615"] {
      expectEqual(JSONWriter.object(of: "+ value=\(text)", answering: .sync), #"{"class":"success","value":\#(text)}"#)
    }
    for text in ["07", "1.", ".5", "-", "1e3", "+1", "1..9", "2/3", "0x1", "1.5.2", "--1"] {
      expectEqual(
        JSONWriter.object(of: "+ value=\(text)", answering: .sync), #"{"class":"success","value":"\#(text)"}"#)
    }
    expectEqual(JSONWriter.object(of: "+ value=\"\"", answering: .sync), #"{"class":"success","value":""}"#)
    // Of other keys a number is a text, as all their values are.
    expectEqual(JSONWriter.object(of: "+ got=7", answering: .sync), #"{"class":"success","got":"7"}"#)
  }

  @Test("the object says what the line says, and is JSON", arguments: Thorough.rounds(0..<200 as Range<UInt64>))
  func roundTrip(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let letters = Array("aZ9 =:\"\\@.,/é→\n\t\u{7F}{}[]😀").map(String.init)
    let keys = ["key", "got", "x-y.z", "allowed", "outputs"] + JSONMembers.forms.map { "\($0.key)" }
    func word() -> String { (0..<dice.number(0...6)).map { _ in dice.one(of: letters) }.joined() }
    for _ in 0..<20 {
      let verb = dice.one(of: Verb.allCases)
      let (lineClass, shapes) = dice.one(of: [
        (LineClass.success, verb.replyShapes.success), (.data, verb.replyShapes.data), (.data, ReplyShape.history),
        (.notice, ReplyShape.history), (.failure, ReplyShape.failure), (.flow, ReplyShape.flow),
      ])
      guard !shapes.isEmpty else { continue }
      let shape = dice.one(of: shapes)
      // A usage has no words of any sort, and arguments no keys that could be others.
      guard !shape.isAsWritten, verb != .describe else { continue }
      let isHistory = lineClass == .data && shape.text.hasPrefix("SEQ")
      // A first word that is a lone at sign is taken for a tag.
      let words = shape.tokens.enumerated().flatMap { place, token -> [String] in
        if let literal = token.literal { return [String(decoding: literal, as: UTF8.self)] }
        if token.isOptional, dice.number(0...1) == 0 { return [] }
        return token.isList
          ? (0..<dice.number(0...3)).map { _ in word() }
          : [token.isNumber ? dice.one(of: ["7", "0.250", "a"]) : (place == 0 ? "w" : "") + word()]
      }
      // A key that is a member already, or could be one, is none of a line that has that member.
      let fields = (0..<dice.number(0...4)).map { _ in
        (dice.one(of: keys), dice.one(of: [word(), "5", "a,b", "1.500"]))
      }
      .filter { field in !ReplyShape.all(lineClass).contains { $0.members.contains(field.0) } }
      let line = ByteBuffer.text { buffer in
        if lineClass.answersRequest, dice.number(0...1) == 0 {
          Array("t\(seed)".utf8).withUnsafeBytes { buffer.begin(lineClass, tag: $0) }
        } else {
          buffer.begin(lineClass)
        }
        for word in words { buffer.word(word) }
        for (key, value) in fields { buffer.word(key: key, value) }
        if dice.number(0...1) == 0 { buffer.note(word()) }
      }
      let expected = try #require(ServerLine(line), "seed \(seed): \(line)")
      let object = JSONWriter.object(of: line, answering: isHistory ? .journal : verb)
      expectEqual(ServerLine(json: object), expected, "seed \(seed): \(line) \(object)")
      #expect(throws: Never.self, "seed \(seed): \(object)") {
        try JSONSerialization.jsonObject(with: Data(object.utf8))
      }
    }
  }

  @Test("white space and escapes of other writers are read")
  func otherWriters() throws {
    let line = try #require(
      ServerLine(
        json: " { \"class\" : \"data\" ,\t\"event\" :\"x\",\"arguments\":"
          + "[ \"\\u00e9\\ud83d\\ude00\\/\", 3 ] , \"t\" : 1.5 }\r"))
    expectEqual(line, ServerLine(". x é😀/ 3 t=1.5"))
  }

  @Test(
    "what is no line in this form is nil",
    arguments: [
      "", "{", "{}", "[]", "null", #"{"class":"news"}"#, #"{"t":1,"class":"success"}"#, #"{"class":"success"} x"#,
      #"{"class":"success","allowed":[[]]}"#, #"{"class":"success","t":tomorrow}"#,
      #"{"class":"success","t":1e5}"#, #"{"class":"success","text":7}"#, #"{"class":"success","a":{"b":"c"}}"#,
      #"{"class":"success","arguments":{"b":{}}}"#, #"{"class":"notice","tag":"a"}"#, #"{"class":"success",}"#,
      #"{"class":"success","x":"\ud800"}"#, #"{"class":"success","x":"\q"}"#, #"{"class":"success","x":"\u12g4"}"#,
      "{\"class\":\"success\",\"x\":\"\u{1}\"}", #"{"class":"success","x":"#, #"{"class":"success","x":"a"#,
    ])
  func strange(text: String) {
    expectNil(ServerLine(json: text))
  }

  @Test("the end of a line is found wherever it stands")
  func lineEnds() {
    var buffer = ByteBuffer()
    let text = Array("+ a\n. bcdefghijklmnop\n\n+ \u{8A}\u{B}\u{9}q 123456789\n+".utf8)
    text.withUnsafeBytes { buffer.append($0) }
    for place in 0...text.count {
      expectEqual(buffer.lineEnd(from: place), text[place...].firstIndex(of: 0x0A) ?? text.count, "from \(place)")
    }
  }
}
