let socket; addEventListener('beforeunload', ({ detail }) => socket?.send(detail.reason));
    export default { fetch(request) {
      const upgraded = Deno.upgradeWebSocket(request); socket = upgraded.socket; return upgraded.response;
  } };