export default { fetch(request) {
    const { socket, response } = Deno.upgradeWebSocket(request); socket.onopen = () => socket.send('here'); return response;
  } };