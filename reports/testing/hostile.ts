/** Text with markup, scripts, bidirectional marks, terminal sequences, entities, and ends of blocks. */
export const HOSTILE_TEXT = [
  '<script>document.title = "run"</script><img src=x onerror=\'document.title = "run"\'>',
  '"><svg onload=\'document.title="run"\'> </pre></details></table></style></title></textarea>]]>--><!--',
  '\u001b[31mred\u001b[2J\u0007 \u202ednal \u2066rtl\u2069 \ud800 \u0000 \ufffe مرحبا بالعالم',
  '@everyone #1 https://evil.example www.evil.example `code` ``two`` | cell | **bold** [a](javascript:alert(1)) &amp; \\',
].join('\n')

/** One million characters: {@link HOSTILE_TEXT}, followed by a word that fills the rest. */
export const HOSTILE_MEGABYTE = HOSTILE_TEXT + 'Ж'.repeat(1_000_000 - HOSTILE_TEXT.length)

/** Members that stay unchanged, because a document with another value is rejected before rendering. */
const NAMED = new Set(['kind', 'verdict', 'level', 'figure', 'op', 'unit', 'startedAt', 'source', 'direction', 'sort'])

/** Replaces all free text of a document, and some member names, with `text`. */
export function replaceTexts<Value>(value: Value, text: string): Value {
  // The cast is safe: only strings change, and they remain strings.
  return replaceStrings(value, text) as Value
}

function replaceStrings(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.map((item) => replaceStrings(item, text))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name === 'authorization' || name === 'chat' ? text.slice(0, 100_000) : name,
      NAMED.has(name) ? member : replaceStrings(member, text),
    ]),
  )
}
