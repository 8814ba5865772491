import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// The results are those of an engine of ECMAScript.
@Suite("Methods of arrays, texts and numbers")
struct MethodTests {
  @Test("have the results that ECMAScript gives them", arguments: rows)
  func row(text: String, expected: String) throws {
    try expectEqual(EvaluatorTests.value(of: text), expected, "\(text)")
  }

  @Test(
    "no method uses up time or memory",
    arguments: [
      "'x'.repeat(9e8)", "''.repeat(9e8)", "'x'.padStart(1e15)", "'x'.padEnd(1e9, 'ab')",
      "'x'.repeat(100000).replaceAll('', 'y'.repeat(1000))", "'x'.repeat(3000000).split('')",
      "'x'.repeat(1000000).replaceAll('x', 'y'.repeat(100))",
      "'x'.repeat(5000).split('').map(a => 'x'.repeat(5000).split('').map(b => b + b))",
      "'x'.repeat(5000).split('').sort((a, b) => 'x'.repeat(100000))",
      "'x'.repeat(5000).split('').map((x, i, all) => all)",
      "'x'.repeat(5000).split('').reduce((sum, x) => sum.concat(sum), [1])",
      "('x'.repeat(200000) + 'y').indexOf('x'.repeat(100000) + 'z')",
    ])
  func limits(text: String) throws {
    var scope = DataScope()
    let expression = try Expression(parsing: text, in: &scope.symbols)
    do {
      let value = try expression.value(in: &scope)
      Issue.record("\(value.size) bytes")
    } catch {
      if case .failed(let why) = error { Issue.record("\(why)") }
    }
  }

  @Test(
    "a number of any size stands for a length, a place, a count or a radix, and ends nothing",
    arguments: [
      "1e18", "-1e18", "1e19", "9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "Infinity",
      "-Infinity",
      "NaN", "4294967295", "4294967296", "2147483648", "9007199254740993", "-0", "0.5", "5e-324",
    ])
  func borders(number: String) throws {
    for text in [
      "l.length = #", "l[#] = 1", "l[#]", "l.at(#)", "l.slice(#, #)", "l.splice(#, #)", "l.fill(0, #, #)",
      "l.indexOf(1, #)", "l.includes(1, #)", "# in l", "delete l[#]", "o[#] = #", "o[#]", "l[#]++", "l[#].a = 1",
      "s[#]",
      "s.at(#)", "s.charAt(#)", "s.charCodeAt(#)", "s.slice(#, #)", "s.substring(#, #)", "s.substr(#, #)",
      "s.indexOf('b', #)", "s.includes('b', #)", "s.padStart(#)", "s.padEnd(#, 'xy')", "s.repeat(#)", "s.split('', #)",
      "''.repeat(#)", "(#).toString(#)", "(#).toString(16)", "(#).toFixed(#)", "(#).toFixed(2)", "parseInt('9', #)",
      "String.fromCharCode(#)", "# | #", "# >>> #", "# << #", "~#", "# ** #", "2 ** #", "Math.round(#)", "'' + #",
      "JSON.stringify(#)", "Math.pow(#, 0.5)", "# % #", "new Date(#)",
    ] {
      var scope = DataScope()
      let script = try Script(
        parsing: "var l = [1, 2]; var o = {a: 1}; var s = 'abc'; \(text.replacing("#", with: "(\(number))"));",
        in: &scope.symbols)
      // Whatever it has for a value, a failure or a limit: the process goes on.
      try? script.run(in: &scope)
      _ = scope.variables.compactMap(\.self).map(JSON.text)
    }
  }

  @Test("the length of an array is what ECMAScript takes for one")
  func lengths() throws {
    func run(_ text: String) throws(EvaluationError) -> DataValue? {
      var scope = DataScope()
      guard let script = try? Script(parsing: "var l = [1, 2]; \(text)", in: &scope.symbols) else { return nil }
      try script.run(in: &scope)
      return scope.variables[0]
    }
    try expectEqual(run("l.length = 1"), .array(DataArray([.number(1)])))
    for length in ["1e18", "4294967296", "-1", "0.5", "NaN", "Infinity"] {
      #expect(
        throws: EvaluationError.failed("\(length == "1e18" ? "1000000000000000000" : length) is no length of an array")
      ) {
        try run("l.length = \(length)")
      }
    }
    #expect(throws: EvaluationError.limit(.bytes)) { try run("l.length = 4294967295") }
  }

  @Test(
    "what reads a long text, a large array or a large object counts for as many steps",
    arguments: [
      "-s", "+s", "~s", "s - 1", "2 * s", "s / s", "s % 2", "s & 1", "1 << s", "s >>> 1", "s ** 2", "parseInt(s)",
      "parseFloat(s)", "Number(s)", "isNaN(s)", "isFinite(s)", "Math.max(1, s)", "Math.abs(a)", "-a", "a * 1", "~a",
      "'x'.padEnd(3, s)", "'x'.padStart(a, 'y')", "'x'.substr(a, 1)", "'x'.substring(0, a)", "'x'.slice(s)",
      "'x'.charAt(a)", "'x'.at(s)", "'x'.indexOf(s)", "'x'.indexOf('x', a)", "'x'.startsWith(s)", "'x'.endsWith(a)",
      "'x'.split(s)", "'x'.replace(s, 'y')", "'x'.repeat(a)", "(5).toFixed(s)", "(5).toString(a)", "o[s]", "o[a]",
      "o[s] = 1", "l[a] = 1", "l[s]", "s in o", "a in l", "delete o.k1", "delete o['k1']", "delete o[s]",
      "String.fromCharCode(a)", "String.fromCharCode(s)", "l.slice(s)", "l.at(a)", "l.indexOf(1, s)",
      "l.includes(1, a)",
      "l.splice(s, 1)", "l.splice(0, a)", "l.fill(0, s)", "l.fill(0, 0, a)", "o.hasOwnProperty(s)", "In(s)", "s++",
      "a--", "l.length = s", "[1, 2].sort(() => s)",
    ])
  func costs(text: String) throws {
    var scope = DataScope()
    let made = try Script(
      parsing: """
        var s = '1'.repeat(100000); var a = [s, s]; var l = [1, 2]; var o = {};
        for (var i = 0; i != 2000; i++) { o['k' + i] = i; }
        """, in: &scope.symbols)
    let script = try Script(parsing: text, in: &scope.symbols)
    try made.run(in: &scope)
    let before = scope.budget.steps
    try? script.run(in: &scope)
    expect(before - scope.budget.steps >= 1_000, "\(before - scope.budget.steps) steps")
  }

  @Test("short texts and numbers cost what they always did")
  func cheap() throws {
    func steps(_ text: String) throws -> Int {
      var scope = DataScope()
      let made = try Script(parsing: "var s = '12'; var l = [1, 2]; var o = {k: 1};", in: &scope.symbols)
      let script = try Script(parsing: text, in: &scope.symbols)
      try made.run(in: &scope)
      let before = scope.budget.steps
      try script.run(in: &scope)
      return before - scope.budget.steps
    }
    try expectEqual(steps("-s"), steps("!s"))
    try expectEqual(steps("o[s]"), steps("l[1]"))
    try expectEqual(steps("Math.max(s, s)"), steps("Math.max(1, 2)"))
  }

  @Test("a sort ends whatever its function answers, and is stable")
  func sort() throws {
    try expectEqual(EvaluatorTests.value(of: "[3, 1, 2].sort(() => -1).length"), "3")
    try expectEqual(
      EvaluatorTests.value(of: "['b1', 'a1', 'b0', 'a0'].sort((x, y) => x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : 0)"),
      #"["a1","a0","b1","b0"]"#)
    try expectEqual(EvaluatorTests.value(of: "[2, 1].sort((a, b) => nobody)"), "throws")
  }

  private static let rows: [(String, String)] = [
    // Strings
    (#"'abc'.length"#, #"3"#),
    (#"'😀'.length"#, #"2"#),
    (#"'abc'[1]"#, #""b""#),
    (#"'abc'[5]"#, #"undefined"#),
    (#"'abc'.charAt(1)"#, #""b""#),
    (#"'abc'.charAt()"#, #""a""#),
    (#"'abc'.charAt(-1)"#, #""""#),
    (#"'abc'.charAt(9)"#, #""""#),
    (#"'abc'.charCodeAt(1)"#, #"98"#),
    (#"'abc'.charCodeAt(9)"#, #"NaN"#),
    (#"'abc'.at(-1)"#, #""c""#),
    (#"'abc'.at(3)"#, #"undefined"#),
    (#"'abcabc'.indexOf('c')"#, #"2"#),
    (#"'abcabc'.indexOf('c', 3)"#, #"5"#),
    (#"'abcabc'.indexOf('')"#, #"0"#),
    (#"'abcabc'.indexOf('x')"#, #"-1"#),
    (#"'abcabc'.lastIndexOf('b')"#, #"4"#),
    (#"'abcabc'.lastIndexOf('x')"#, #"-1"#),
    (#"'abc'.includes('bc')"#, #"true"#),
    (#"'abc'.includes('')"#, #"true"#),
    (#"'abc'.startsWith('ab')"#, #"true"#),
    (#"'abc'.startsWith('b')"#, #"false"#),
    (#"'abc'.endsWith('bc')"#, #"true"#),
    (#"'abc'.endsWith('')"#, #"true"#),
    (#"'abc'.slice(1)"#, #""bc""#),
    (#"'abc'.slice(-2)"#, #""bc""#),
    (#"'abc'.slice(1, -1)"#, #""b""#),
    (#"'abc'.slice(2, 1)"#, #""""#),
    (#"'abc'.substring(1)"#, #""bc""#),
    (#"'abc'.substring(2, 0)"#, #""ab""#),
    (#"'abc'.substring(-1, 2)"#, #""ab""#),
    (#"'abc'.substring(NaN, 9)"#, #""abc""#),
    (#"'abcdef'.substr(-3, 2)"#, #""de""#),
    (#"'abc'.substr(1)"#, #""bc""#),
    (#"'a,b,,c'.split(',')"#, #"["a","b","","c"]"#),
    (#"'abc'.split('')"#, #"["a","b","c"]"#),
    (#"'abc'.split()"#, #"["abc"]"#),
    (#"''.split(',')"#, #"[""]"#),
    (#"''.split('')"#, #"[]"#),
    (#"'a'.concat('b', 1, null)"#, #""ab1null""#),
    (#"'aXbX'.replace('X', '-')"#, #""a-bX""#),
    (#"'aXbX'.replaceAll('X', '-')"#, #""a-b-""#),
    (#"'aaa'.replaceAll('', '-')"#, #""-a-a-a-""#),
    (#"'abc'.replace('', '-')"#, #""-abc""#),
    (#"'abc'.replace('z', '-')"#, #""abc""#),
    (#"'aXb'.replace('X', function (m) { return m + m; })"#, #""aXXb""#),
    (#"'ab'.repeat(3)"#, #""ababab""#),
    (#"'ab'.repeat(0)"#, #""""#),
    (#"'ab'.repeat(-1)"#, #"throws"#),
    (#"'5'.padStart(3, '0')"#, #""005""#),
    (#"'5'.padEnd(4, 'ab')"#, #""5aba""#),
    (#"'12345'.padStart(3)"#, #""12345""#),
    (#"'5'.padStart(3, '')"#, #""5""#),
    (#"' a b '.trim()"#, #""a b""#),
    (#"' a '.trimStart()"#, #""a ""#),
    (#"' a '.trimEnd()"#, #"" a""#),
    (#"'\u00a0a\ufeff'.trim()"#, #""a""#),
    (#"'aß'.toUpperCase()"#, #""ASS""#),
    (#"'ÄB'.toLowerCase()"#, #""äb""#),
    (#"'e\u0301'.indexOf('e')"#, #"0"#),
    (#"'x'.toString()"#, #""x""#),
    (#"'abc'.nothing()"#, #"throws"#),
    // Numbers' methods
    (#"(255).toString(16)"#, #""ff""#),
    (#"(-255).toString(2)"#, #""-11111111""#),
    (#"(12).toString()"#, #""12""#),
    (#"(0.5).toString()"#, #""0.5""#),
    (#"(1.005).toFixed(2)"#, #""1.00""#),
    (#"(2.5).toFixed(0)"#, #""3""#),
    (#"(-2.5).toFixed(0)"#, #""-3""#),
    (#"(0).toFixed(2)"#, #""0.00""#),
    (#"(1e21).toFixed(2)"#, #""1e+21""#),
    (#"(123.456).toFixed(1)"#, #""123.5""#),
    (#"(0.000001).toFixed(7)"#, #""0.0000010""#),
    (#"(-0.0000001).toFixed(2)"#, #""-0.00""#),
    (#"(9.995).toFixed(2)"#, #""9.99""#),
    (#"(999.9999).toFixed(3)"#, #""1000.000""#),
    (#"(1.45).toFixed(1)"#, #""1.4""#),
    (#"(NaN).toFixed(2)"#, #""NaN""#),
    (#"(1).toFixed(101)"#, #"throws"#),
    // Arrays
    (#"[1, 2, 3].length"#, #"3"#),
    (#"[1, 2].concat([3], 4, [[5]])"#, #"[1,2,3,4,[5]]"#),
    (#"[1, null, undefined, 'a'].join()"#, #""1,,,a""#),
    (#"[1, 2].join('-')"#, #""1-2""#),
    (#"[1, 2].join(null)"#, #""1null2""#),
    (#"[1, 2, 1].indexOf(1)"#, #"0"#),
    (#"[1, 2, 1].indexOf(1, 1)"#, #"2"#),
    (#"[1, 2, 1].indexOf(1, -1)"#, #"2"#),
    (#"[1, 2].indexOf('1')"#, #"-1"#),
    (#"[NaN].indexOf(NaN)"#, #"-1"#),
    (#"[NaN].includes(NaN)"#, #"true"#),
    (#"[1, 2, 1].lastIndexOf(1)"#, #"2"#),
    (#"[1, 2, 3].at(-1)"#, #"3"#),
    (#"[1, 2, 3].at(5)"#, #"undefined"#),
    (#"[1, 2, 3, 4].slice(1, 3)"#, #"[2,3]"#),
    (#"[1, 2, 3, 4].slice(-2)"#, #"[3,4]"#),
    (#"[1, 2, 3].slice()"#, #"[1,2,3]"#),
    (#"[1, 2, 3].map(function (x) { return x * 2; })"#, #"[2,4,6]"#),
    (#"[1, 2, 3].map(x => x * 2)"#, #"[2,4,6]"#),
    (#"[1, 2, 3].map((x, i) => x * i)"#, #"[0,2,6]"#),
    (#"[1, 2, 3].map((x, i, all) => all.length - i)"#, #"[3,2,1]"#),
    (#"[1, 2, 3].map(x => { return x + 1; })"#, #"[2,3,4]"#),
    (#"[1, 2, 3].map(() => 0)"#, #"[0,0,0]"#),
    (#"[1, 2, 3, 4].filter(x => x % 2)"#, #"[1,3]"#),
    (#"[1, 2, 3].find(x => x > 1)"#, #"2"#),
    (#"[1, 2, 3].find(x => x > 5)"#, #"undefined"#),
    (#"[1, 2, 3].findIndex(x => x > 1)"#, #"1"#),
    (#"[1, 2, 3].findIndex(x => x > 5)"#, #"-1"#),
    (#"[1, 2, 3].some(x => x > 2)"#, #"true"#),
    (#"[].some(x => true)"#, #"false"#),
    (#"[1, 2, 3].every(x => x > 0)"#, #"true"#),
    (#"[].every(x => false)"#, #"true"#),
    (#"[1, 2, 3].reduce((sum, x) => sum + x)"#, #"6"#),
    (#"[1, 2, 3].reduce((sum, x) => sum + x, '')"#, #""123""#),
    (#"[].reduce((sum, x) => sum + x, 7)"#, #"7"#),
    (#"[].reduce((sum, x) => sum + x)"#, #"throws"#),
    (#"[1, 2].forEach(x => x)"#, #"undefined"#),
    (#"[1, 2].map(5)"#, #"throws"#),
    (#"[3, 1, 2].sort()"#, #"[1,2,3]"#),
    (#"[10, 9, 1].sort()"#, #"[1,10,9]"#),
    (#"[10, 9, 1].sort((a, b) => a - b)"#, #"[1,9,10]"#),
    (#"[3, undefined, 1].sort()"#, #"[1,3,null]"#),
    (#"['b', 'a', 'C'].sort()"#, #"["C","a","b"]"#),
    (#"[5, 1, 4].sort(() => 0)"#, #"[5,1,4]"#),
    (#"[1, 2, 3].reverse()"#, #"[3,2,1]"#),
    (#"[1, 2, 3].fill(0)"#, #"[0,0,0]"#),
    (#"[1, 2, 3].fill(0, 1, 2)"#, #"[1,0,3]"#),
    (#"[1, 2, 3, 4].splice(1, 2)"#, #"[2,3]"#),
    (#"[1, 2, 3].splice(-1)"#, #"[3]"#),
    (#"[1, 2, 3].splice()"#, #"[]"#),
    (#"[1, 2].push(3)"#, #"3"#),
    (#"[1, 2].pop()"#, #"2"#),
    (#"[].pop()"#, #"undefined"#),
    (#"[1, 2].shift()"#, #"1"#),
    (#"[1, 2].unshift(0)"#, #"3"#),
    (#"[1, 2].nothing()"#, #"throws"#),
    (#"Array.isArray([])"#, #"true"#),
    (#"Array.isArray({})"#, #"false"#),
    (#"Array.of(1, 2)"#, #"[1,2]"#),
    // Objects
    (#"({ a: 1, b: 'x' })"#, #"{"a":1,"b":"x"}"#),
    (#"({ a: { b: [1] } }).a.b[0]"#, #"1"#),
    (#"({ a: 1 }).b"#, #"undefined"#),
    (#"({ a: 1 })['a']"#, #"1"#),
    (#"undefined.a"#, #"throws"#),
    (#"null.a"#, #"throws"#),
    (#"({ a: 1 }).hasOwnProperty('a')"#, #"true"#),
    (#"({ a: 1 }).hasOwnProperty('b')"#, #"false"#),
    (#"Object.keys({ a: 1, b: 2 })"#, #"["a","b"]"#),
    (#"Object.values({ a: 1, b: 2 })"#, #"[1,2]"#),
    (#"Object.entries({ a: 1 })"#, #"[["a",1]]"#),
    (#"Object.keys([5, 6])"#, #"["0","1"]"#),
    (#"Object.assign({ a: 1 }, { b: 2 }, { a: 3 })"#, #"{"a":3,"b":2}"#),
    (#"Object.keys(null)"#, #"throws"#),
  ]
}
