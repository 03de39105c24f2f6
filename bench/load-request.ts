/** For k6: the request that both scripts send, and how often. */

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

export const url = __ENV['URL'] ?? ''
export const headers = { 'content-type': 'application/json', authorization: 'Bearer none' }
export const body = JSON.stringify({
  model: 'vendora-v4-flash',
  stream: true,
  messages: [{ role: 'user', content: 'Hello.' }],
})
