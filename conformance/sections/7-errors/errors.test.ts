import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../contract/facts.ts'
import { errorChecks } from './errors.ts'
import { createScriptedContext, createScriptedResult } from '../../prove/no-evidence-targets/scripted-context.ts'

const { path: CHAT } = OPERATIONS.chat

/** Returns the outcome for a target with this status for each path below the chat endpoint. */
function evaluateBelow(respond: (below: string) => number) {
  const context = createScriptedContext((request) =>
    request.path === CHAT
      ? createScriptedResult(request)
      : { status: respond(request.path.slice(CHAT.length + 1)), body: '{}' },
  )
  return errorChecks.find(({ id }) => id === '7/unknown-endpoint-below')?.run(context)
}

test('accepts a target with an endpoint for each stored completion, which rejects POST with 405', async () => {
  expect(await evaluateBelow((below) => (below.includes('/') ? 404 : 405))).toMatchObject({ verdict: 'pass' })
})

test('reports a target that serves every path below the chat endpoint', async () => {
  expect(await evaluateBelow(() => 200)).toMatchObject({ verdict: 'fail', code: 'unexpected-status' })
})
