/**
 * Parses an event stream. Each item contains the data of the events that one write completed. Drops comments, and the
 * fields `id`, `event` and `retry`.
 */
export async function* parseEventData(body: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder() // Keeps the bytes of an incomplete character, and omits the byte order mark.
  let line = ''
  let data: string[] = []
  let isAfterCarriageReturn = false
  for await (const bytes of body) {
    const completed: string[] = []
    for (const character of decoder.decode(bytes, { stream: true })) {
      const isSecondHalf = character === '\n' && isAfterCarriageReturn
      isAfterCarriageReturn = character === '\r'
      if (isSecondHalf) continue
      if (character !== '\r' && character !== '\n') {
        line += character
      } else if (line === '') {
        if (data.length > 0) completed.push(data.join('\n'))
        data = []
      } else {
        const [, value] = /^data(?:: ?(.*))?$/su.exec(line) ?? []
        if (/^data(?::|$)/.test(line)) data.push(value ?? '')
        line = ''
      }
    }
    if (completed.length > 0) yield completed
  }
}
