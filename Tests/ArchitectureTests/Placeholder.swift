import Testing

@Test func one() { #expect(1 == 1) }
