import { expect, test } from 'vitest'
import { SecretMask } from '../evidence/secrets.ts'
import { NO_KEY } from '../requests/api-request.ts'
import { resolveTarget } from '../targets/resolve-target.ts'
import { buildRerunCommand } from './rerun-command.ts'

const UPSTREAM = 'http://127.0.0.1:9100'

function build(options: Partial<Parameters<typeof resolveTarget>[0]>): string {
  const target = resolveTarget({ url: 'http://127.0.0.1:8100', keys: {}, embedded: false, ...options })
  return buildRerunCommand(target, UPSTREAM, 'gateway/once', new SecretMask([{ value: 'sk-svc-secret-0123456789' }]))
}

test('repeats a check with the options of the run, without secrets', () => {
  const command = build({
    keys: { funded: 'sk-svc-secret-0123456789' },
    models: ['my model'],
    headers: ['x-provider: openai', 'x-api-key: sk-svc-secret-0123456789'],
    secretHeaders: ['x-api-key'],
  })
  expect(command).toBe(
    `touchstone conformance --target 'http://127.0.0.1:8100' --key "$TOUCHSTONE_KEY" --model 'my model' --header 'x-provider: openai' --upstream '${UPSTREAM}' --only gateway/once`,
  )
})

test('repeats a check of a gateway without keys', () => {
  expect(build({ keys: { funded: NO_KEY } })).toBe(
    `touchstone conformance --target 'http://127.0.0.1:8100' --upstream '${UPSTREAM}' --only gateway/once`,
  )
})
