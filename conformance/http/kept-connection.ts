import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'

/** One connection for several requests, one after another, as far as the target keeps it open. */
export interface KeptConnection {
  /** What Node sends requests to the scheme with. */
  agentFor(url: string): HttpAgent
  close(): void
}

/** Nothing connects before the first request. Whoever opens it closes it. */
export function keepConnection(): KeptConnection {
  const http = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  const https = new HttpsAgent({ keepAlive: true, maxSockets: 1 })
  return {
    agentFor: (url) => (url.startsWith('https:') ? https : http),
    close() {
      http.destroy()
      https.destroy()
    },
  }
}
