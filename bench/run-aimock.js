/**
 * Starts aimock with one answer to everything. Arguments: the file to import it from, which is no part of this repository and
 * not known before; the text of the answer; into parts of how many characters it is cut.
 */
const [entry = '', content = '', chunkSize = '20'] = process.argv.slice(2)

const { LLMock } = await import(entry)
const mock = new LLMock({
  port: 0,
  logLevel: 'silent',
  latency: 0,
  journalMaxEntries: 1000,
  chunkSize: Number(chunkSize),
})
mock.onMessage(/./, { content })
await mock.start()
process.stdout.write(`ready at ${mock.url}\n`)
process.once('SIGTERM', () => process.exit(0))
