/** The k6 options and the request that both k6 scripts use. */

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

export const TARGET_URL = __ENV['URL'] ?? ''
export const REQUEST_HEADERS = { 'content-type': 'application/json', authorization: 'Bearer none' }
export const REQUEST_BODY = JSON.stringify({
  model: 'vendora-v4-flash',
  stream: true,
  messages: [{ role: 'user', content: 'Hello.' }],
})
