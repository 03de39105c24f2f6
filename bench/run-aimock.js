/**
 * Starts aimock with one fixed response. Arguments: path of its entry file (outside this repository), text of the
 * response, characters per chunk.
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
