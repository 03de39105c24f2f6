/** For k6: posts and reads answers whole, with what k6 brings itself. */
import http from 'k6/http'

export const options = {
  scenarios: {
    all: {
      executor: 'shared-iterations',
      vus: Number(__ENV['VUS']),
      iterations: Number(__ENV['ITERATIONS']),
      maxDuration: '1h',
    },
  },
}

const url = __ENV['URL'] ?? ''
const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
const body = JSON.stringify({
  model: 'vendora-v4-flash',
  stream: true,
  messages: [{ role: 'user', content: 'Hello.' }],
})

// oxlint-disable-next-line import/no-default-export -- k6 asks for it
export default function post(): void {
  const response = http.post(url, body, { headers })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  // Only once: what a script does with a body is no cost of reading it.
  if (__ITER === 0 && !String(response.body).endsWith('[DONE]\n\n')) throw new Error('no whole body')
}

/** Prints nothing. */
export function handleSummary(): object {
  return {}
}
