import http from 'node:http'
import https from 'node:https'
import { reportProxy } from './report-proxy.ts'

/** Makes this process connect to an upstream through the proxy that the environment names for it, if any. */
export function useProxy(upstream: string): void {
  const proxy = reportProxy(upstream)
  if (proxy === undefined) return
  const options = { keepAlive: true, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }
  http.globalAgent = new http.Agent(options)
  https.globalAgent = new https.Agent(options)
}
