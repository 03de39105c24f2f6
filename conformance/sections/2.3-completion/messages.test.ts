import { expect, test } from 'vitest'
import { parseJson } from '../../http/decode-body.ts'
import { messageChecks } from './messages.ts'
import { createScriptedContext } from '../../prove/no-evidence-targets/scripted-context.ts'

test('shows the conversation with a user if every form with the role is rejected', async () => {
  const check = messageChecks.find(({ id }) => id === '2.3/role-system')
  const outcome = await check?.run(createScriptedContext(() => ({ status: 400 })))
  expect(outcome?.code).toBe('rejected-in-all-forms')
  expect(parseJson(Buffer.from(outcome?.exchange?.request.body ?? []).toString('utf8'))).toMatchObject({
    messages: [{ role: 'system' }, { role: 'user' }],
  })
})
