import { expect, test } from 'vitest'
import { parseJson } from '../../http/decode-body.ts'
import { messageChecks } from './messages.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

test('shows the conversation with a user if every form with the role is rejected', async () => {
  const check = messageChecks.find(({ id }) => id === '2.3/role-system')
  const plain = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"choices":[{"index":0}]}' }
  const isRejected = (body: string): boolean => body.includes('"system"')
  const outcome = await check?.run(
    createScriptedContext(({ body = '' }) => (isRejected(String(body)) ? { status: 400 } : plain)),
  )
  expect(outcome?.code).toBe('rejected-in-all-forms')
  expect(parseJson(Buffer.from(outcome?.exchange?.request.body ?? []).toString('utf8'))).toMatchObject({
    messages: [{ role: 'system' }, { role: 'user' }],
  })
})
