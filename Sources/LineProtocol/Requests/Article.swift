/// A kind's name with its article: `a shiftKey`, `an enemy`, `an http`.
package func withArticle(_ name: String) -> String {
  let isSpokenWithVowel = name.first.map { "aeioAEIO".contains($0) } ?? false
  // Abbreviations are read letter by letter: aitch, em, ess.
  let isSpelled = ["http", "mviTrace", "smtp"].contains(name)
  return (isSpokenWithVowel || isSpelled ? "an " : "a ") + name
}
