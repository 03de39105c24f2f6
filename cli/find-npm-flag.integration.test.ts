import { expect, test } from 'vitest'
import { runCliInSharedProcess } from './testing/run-cli.ts'

test('ends with a usage error instead of a run against the emulator if npm read --target', async () => {
  const env = { npm_lifecycle_event: 'conformance', npm_config_target: 'http://127.0.0.1:9' }
  expect(await runCliInSharedProcess(['conformance'], { env })).toMatchObject({
    exitCode: 2,
    stderr:
      'The separator -- is missing, so npm read --target itself: write npm run conformance -- --target and the other options.\n',
  })
})
