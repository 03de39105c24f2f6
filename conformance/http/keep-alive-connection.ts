import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'

/** A keep-alive connection for consecutive requests. If the target closes it, the next request opens a new one. */
export interface KeepAliveConnection {
  /** Returns the agent for the scheme of the URL. */
  agentFor(url: string): HttpAgent
  close(): void
}

/** Returns a connection that opens with its first request. The caller must close it. */
export function createKeepAliveConnection(): KeepAliveConnection {
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
