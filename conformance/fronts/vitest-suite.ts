/* oxlint-disable vitest/expect-expect, vitest/valid-title -- The checks judge by themselves, and their ids are the titles. */
/* oxlint-disable unicorn/require-post-message-target-origin, unicorn/prefer-add-event-listener -- Node's channels have no origins, and type no listeners. */
import { BroadcastChannel } from 'node:worker_threads'
import { afterAll, describe, inject, test } from 'vitest'
import { CHECKS } from '../checks/all.ts'
import { endForTime } from '../harness/run/interruption.ts'
import { openRun } from '../harness/run/open-run.ts'
import type { PlannedCheck } from '../harness/run/plan.ts'
import { REQUIREMENTS } from '../requirements/all.ts'
import { INTERRUPT, OUT_OF_TIME, type SuiteMessage } from './vitest-wire.ts'

// Runs inside vitest: one test for each planned check. vitest orders and counts, the harness judges.

const { settings, channel: channelName } = inject('touchstone')
const channel = new BroadcastChannel(channelName)
const interruption = new AbortController()
channel.onmessage = ({ data }: { readonly data: unknown }) => {
  if (data === INTERRUPT) {
    interruption.abort()
  } else if (data === OUT_OF_TIME) {
    endForTime(interruption)
  }
}

// What was said before this thread listened is said again.
tell({ kind: 'begin' })

const run = await openRun(settings, { requirements: REQUIREMENTS, checks: CHECKS }, interruption.signal)
const { planned } = run.plan

function tell(message: SuiteMessage): void {
  channel.postMessage(message)
}

async function judge(one: PlannedCheck): Promise<void> {
  const entry = await run.judge(one)
  tell({ kind: 'entry', entry, total: planned.length })
  if (entry.verdict === 'fail' || entry.verdict === 'error') {
    throw new Error(entry.actual)
  }
}

describe.concurrent('together', () => {
  for (const one of planned.filter(({ check }) => check.alone === undefined)) {
    test(one.check.id, () => judge(one))
  }
})

describe.sequential('alone', () => {
  for (const one of planned.filter(({ check }) => check.alone === true)) {
    test(one.check.id, () => judge(one))
  }
})

afterAll(async () => {
  tell({ kind: 'end', facts: await run.finish() })
  channel.close()
})
