// Every route of the API, to read and to try, from the server's own description; nothing is loaded from elsewhere.
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#routes", deepLinking: true, validatorUrl: null });
