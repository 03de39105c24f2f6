import { mkdtempSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runCliInSharedProcess } from './testing/run-cli.ts'

/** Invalid command lines, grouped by the kind of mistake. Arguments are quoted as in a shell. */
const MISTAKES: Readonly<Record<string, readonly string[]>> = {
  'Commands and arguments': [
    'conform',
    'conformence',
    'search',
    'compare before.json after.json',
    'help nothing',
    'init help',
    'report help',
    'conformance http://127.0.0.1:8080',
    'conformance gateway.json',
    'emulator emulator.json',
    'emulator 8080',
    'prove 5',
    'load 50',
    'report',
    'report compare before.json',
    'report schema html',
    'conformance --bugdet x',
    'conformance --api-key sk-svc-1234',
    'load --targt http://127.0.0.1:8080',
    'conformance --target',
    'load --find --duration 3s',
  ],
  'Target and keys': [
    'conformance --target ""',
    'conformance --target localhost:8080',
    'conformance --target 127.0.0.1:8088',
    'conformance --target ftp://example.com',
    'conformance --target http://user:password@127.0.0.1:8080',
    'conformance --target http://127.0.0.1:8080/?a=b',
    'conformance --target http://127.0.0.1:8080/v1/chat/completions',
    'conformance --target gateway.json',
    'conformance --target http://127.0.0.1:8080 --key "Bearer sk-svc-1234"',
    `conformance --target http://127.0.0.1:8080 --key '"sk-svc-1234"'`,
    'conformance --target http://127.0.0.1:8080 --key ""',
    'conformance --target http://127.0.0.1:8080 --key "two words"',
    'conformance --key sk-svc-1234',
    'conformance --target http://127.0.0.1:8080 --key same --limited-key same',
    'conformance --target http://127.0.0.1:8080 --header novalue',
    `conformance --target http://127.0.0.1:8080 --header 'Authorization: Bearer x'`,
    'conformance --target http://127.0.0.1:8080 --ca nowhere.pem',
    'conformance --target http://127.0.0.1:8080 --model ""',
    'load --target ""',
    'load --target 127.0.0.1:8088',
    'load --target gateway.json',
    'load --target nowhere.json',
    'load --key sk-svc-1234',
    'load --target http://127.0.0.1:8080/v1/chat/completions',
    'load --target http://127.0.0.1:8080 --key "Bearer sk-svc-1234"',
    'init',
  ],
  'Selection of checks and mutants': [
    'conformance --only 4.2/temprature-above --dry-run',
    'conformance --only image --dry-run',
    'conformance --only 4,12 --dry-run',
    'conformance --skip nothing --dry-run',
    'conformance --only chatstream --dry-run',
    'conformance --without billing',
    'conformance --without images,billing',
    'prove --only nothing',
  ],
  'Numbers, limits and budgets': [
    'conformance --concurrency 0',
    'conformance --timeout-ms 5s',
    'conformance --max-credits -1',
    'conformance --rate fast',
    `conformance --budget 'ttft.p90<=800ms' --dry-run`,
    `conformance --budget 'chat-stream.ttft.p90<800ms' --dry-run`,
    'conformance --budget chat-stream.ttft.p90 --dry-run',
    `conformance --budget 'chat-stream.ttft.p90<=800' --dry-run`,
    `conformance --budget 'chat.ttft.p90<=800ms' --dry-run`,
    `load --budget 'ttft<=1s' --dry-run`,
    `load --budget 'ttft.p90<=800' --dry-run`,
    `load --budget 'ttft.p90>=800ms' --dry-run`,
    `load --budget 'speed.p90<=800ms' --dry-run`,
    `load --budget 'ttft.p90<800ms' --dry-run`,
    `load --budget 'failed<=1%' --dry-run`,
    `load --budget 'TTFT.P90<=1s' --dry-run`,
    `load --key sk-svc-1234 --budget 'ttft.p90=1s'`,
    'load --duration 5',
    'load --rate -1',
    'load --segment 3/2',
    'load --start-at tomorrow',
  ],
  'Load scenarios and files': [
    'load --scenario chatstream',
    'load --scenario chats',
    'load --profile peak',
    'load --iterations 5 --rate 3 --dry-run',
    'load --scenario rate-limit --target http://127.0.0.1:8080 --key a',
    'load --limit 60',
    'load --model chat=',
    'load --header x-tenant',
    'load --header "Authorization: Bearer key"',
    'load --ca OTHER.json --target https://127.0.0.1:8080',
    'load --trace nowhere.jsonl --dry-run',
  ],
  Emulator: [
    'emulator --port 99999',
    'emulator --latency quick',
    'emulator --option head',
    'emulator --fault status=999',
    'emulator --fault operatio=chat,status=500',
    'emulator --fixtures nowhere.json',
    'emulator --replay nowhere',
    'emulator --account credits=x',
    'emulator --model gpt',
    'emulator --record notaurl',
    'emulator --record http://127.0.0.1:8080 --replay recordings',
    'emulator --control-token short',
    'emulator --extension images',
    'emulator --config nowhere.json',
    'emulator --config BROKEN.json',
    'emulator --fixtures BROKEN.json',
  ],
  Reports: [
    'report nowhere.json',
    'report OTHER.json',
    'report nowhere.json --format pdf',
    'report merge nowhere.json',
    'conformance --out /dev/null/report',
    'conformance --target emulator --write-known-failures',
  ],
}

const directory = mkdtempSync(join(tmpdir(), 'touchstone-messages-'))

beforeAll(async () => {
  await writeFile(join(directory, 'OTHER.json'), '{}')
  await writeFile(join(directory, 'BROKEN.json'), 'text\n')
})

/** Splits a command line into arguments at spaces outside quotes. */
function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) =>
      double ?? single ?? plain?.replace(/^[A-Z]+\.json$/, (name) => join(directory, name)) ?? '',
  )
}

test('docs/reference/messages.md lists the message of each wrong command line, which is one line with advice', async () => {
  const sections: string[] = []
  for (const [heading, lines] of Object.entries(MISTAKES)) {
    const rows: string[] = []
    for (const line of lines) {
      const { exitCode, stdout, stderr } = await runCliInSharedProcess(split(line))
      expect([line, exitCode, stdout]).toEqual([line, 2, ''])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      rows.push(
        `| \`${line.replaceAll('|', String.raw`\|`)}\` | ${escapeCell(stderr.trim().replace(`${directory}/`, ''))} |`,
      )
    }
    sections.push(`## ${heading}\n\n| command line | message |\n|---|---|\n${rows.join('\n')}\n`)
  }
  await expect(`${HEAD}\n${sections.join('\n')}`).toMatchFileSnapshot('../docs/reference/messages.md')
})

const HEAD = `# Messages

Each command line on this page is wrong. The command prints one line and exits with code 2 ([exit codes](verdicts.md)). The page is generated from
the output of the commands in a clone of the repository. Each command line starts with \`touchstone\`, which this page omits.
`

function escapeCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', String.raw`\<`)
}
