import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCliInSharedProcess } from './testing/run-cli.ts'

const TARGET = ['--target', 'http://127.0.0.1:1']
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-prompts-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function write(...lines: readonly string[]): Promise<string> {
  const path = join(directory, 'prompts.jsonl')
  await writeFile(path, lines.join('\n'))
  return path
}

describe('a prompts file', () => {
  test('determines the cost estimate, with the limits of its lines', async () => {
    const path = await write(
      '{"prompt": "Hello"}',
      '{"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 9}',
    )
    const flags = ['--rate', '2', '--duration', '2s', '--no-nonce', '--dry-run', '--json']
    const { exitCode, stdout } = await runCliInSharedProcess(['load', ...TARGET, '--prompts', path, ...flags])
    expect(exitCode).toBe(0)
    const members = '{"max_tokens":9}'.length + 16
    const prompt = 2 * (5 + 16) + 2 * (2 + 16 + members)
    expect(JSON.parse(stdout)).toMatchObject({ requests: 4, chatTokens: { prompt, completion: 2 * 64 + 2 * 9 } })
  })

  test('rejects an invalid line with one sentence, and exit code 2', async () => {
    const path = await write('{"prompt": "Hello"}', 'Hello')
    const { exitCode, stdout, stderr } = await runCliInSharedProcess([
      'load',
      ...TARGET,
      '--prompts',
      path,
      '--dry-run',
    ])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`--prompts ${path}: Line 2 is not JSON, or is nested more than 512 deep: `)
    expect(stderr).not.toContain('    at ')
  })

  test('does not start a run with an image and a spend limit, because its cost has no upper bound', async () => {
    const image = { type: 'image_url', image_url: { url: 'http://a/b.png' } }
    const path = await write(JSON.stringify({ messages: [{ role: 'user', content: [image] }] }))
    const command = ['load', ...TARGET, '--prompts', path, '--max-credits', '1']
    const { exitCode, stderr } = await runCliInSharedProcess(command)
    expect(exitCode).toBe(2)
    expect(stderr).toContain('The tokens of images and audio in a prompt have no upper bound.')
  })
})

test('estimates the requests and the cost of a warm-up', async () => {
  const estimate = async (...flags: readonly string[]) => {
    const rate = ['--rate', '10', '--duration', '2s', '--dry-run', '--json']
    return JSON.parse((await runCliInSharedProcess(['load', ...TARGET, ...rate, ...flags])).stdout)
  }
  const [without, withWarmUp] = [await estimate(), await estimate('--warm-up', '1s')]
  expect(withWarmUp).toMatchObject({ requests: 20, warmUpRequests: 10 })
  expect([without.chatTokens.completion, withWarmUp.chatTokens.completion]).toEqual([20 * 64, 30 * 64])
  const { stdout } = await runCliInSharedProcess(['load', ...TARGET, '--warm-up', '1s', '--dry-run'])
  expect(stdout).toContain('24 requests (chat-stream 24) after a warm-up of 1 s: ')
  expect(stdout).toContain('Credits: no upper bound. The cost of the warm-up of a closed loop has no upper bound.')
})

test.each([
  [['--prompts', '/no/such/file'], '--prompts /no/such/file cannot be read (ENOENT). Check the path.'],
  [['--body', 'top_p'], `It must be a JSON object such as '{"top_p": 0.9}'`],
  [['--body', '{"stream": false}'], 'It must be an object without stream, which the load test sets itself'],
  [['--body', '{"max_tokens": 0}'], 'it has a value of max_tokens that is not a whole number of at least 1'],
  [['--body', '{}', '--scenario', 'credit-drain'], '--body cannot be combined with --scenario.'],
  [['--body', '{}', '--scenario', 'speech'], 'The scenario speech sends no chats.'],
  [['--warm-up', '1s', '--upstream', 'http://127.0.0.1:2'], '--warm-up cannot be combined with --upstream.'],
  [['--warm-up', '1s', '--scenario', 'rate-limit', '--limit', '1/1s'], '--warm-up cannot be combined with --scenario.'],
])('rejects %j with exit code 2', async (flags, sentence) => {
  const small = flags.includes('credit-drain') ? ['--small-balance', '1'] : []
  const { exitCode, stderr } = await runCliInSharedProcess(['load', ...TARGET, ...flags, ...small, '--dry-run'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(sentence)
})
